package pages

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
)

// fieldList is the page of the fields that an account keeps of its companies.
type fieldList struct {
	outcome

	Tabs   tabs
	Fields []fieldRow
	Types  []choice
}

// fieldRow is a field with where it can be put.
type fieldRow struct {
	pipeline.FieldSetting
	place

	Type  string // for people
	Lines string // the options, one a line
	Types []choice
}

func (p *Pages) fieldRoutes() {
	d := p.newDesk(p.member, teamPath+"/fields", p.fieldsPage)
	d.form("/add", "The field is added.", p.addField)
	d.form("/{field}/change", "The field is changed.", p.changeField)
	d.form("/{field}/place", "The order is changed.", placing(p.deps.Pipelines.PlaceField, "field"))
	d.form("/{field}/delete", "The field is deleted. What companies hold under its name stays theirs.", p.deleteField)
}

func fieldTypes() []choice {
	labels := map[string]string{
		"text": "Text", "number": "Number", "date": "Date", "url": "Web address", "email": "Email address",
		"boolean": "Yes or no", pipeline.FieldSelect: "One of the options", pipeline.FieldMultiSelect: "Some of the options",
	}
	var types []choice
	for _, one := range pipeline.FieldTypes() {
		types = append(types, choice{one, labels[one]})
	}
	return types
}

func (p *Pages) fieldsPage(w http.ResponseWriter, r *http.Request, s *scene, o outcome) error {
	fields, _, err := p.deps.Pipelines.Fields(r.Context(), s.Who, s.account.ID, postgres.FirstPage(pipeline.Most))
	if err != nil {
		return err
	}
	model := fieldList{outcome: o, Tabs: teamTabs(s, "/fields"), Types: fieldTypes()}
	places := placesOf(fields, func(one pipeline.FieldSetting) uuid.UUID { return one.ID })
	for i, one := range fields {
		row := fieldRow{FieldSetting: one, place: places[i], Lines: strings.Join(one.Options, "\n"), Types: model.Types}
		for _, known := range model.Types {
			if known.Value == one.FieldType {
				row.Type = known.Label
			}
		}
		model.Fields = append(model.Fields, row)
	}
	return p.show(w, o.Status(), "fields", s.frame("Fields", "team", model))
}

// optionsOf returns the options of a form, which has one on each line.
func optionsOf(form url.Values) []string {
	options := []string{}
	for line := range strings.Lines(form.Get("options")) {
		if line = strings.TrimSpace(line); line != "" {
			options = append(options, line)
		}
	}
	return options
}

func (p *Pages) addField(r *http.Request, s *scene, form url.Values) (any, error) {
	_, err := p.deps.Pipelines.CreateField(r.Context(), s.Caller.UserID, s.account.ID, pipeline.NewField{
		Name: form.Get("name"), FieldType: form.Get("field_type"), Options: optionsOf(form), Required: form.Has("required"),
	})
	return nil, err
}

func (p *Pages) changeField(r *http.Request, s *scene, form url.Values) (any, error) {
	id, err := pathID(r, "field")
	if err != nil {
		return nil, err
	}
	_, err = p.deps.Pipelines.ChangeField(r.Context(), s.Caller.UserID, s.account.ID, id, pipeline.FieldChange{
		Name: new(form.Get("name")), FieldType: new(form.Get("field_type")), Options: new(optionsOf(form)),
		Required: new(form.Has("required")),
	})
	return nil, err
}

// deleteField deletes a field that may be gone meanwhile.
func (p *Pages) deleteField(r *http.Request, s *scene, _ url.Values) (any, error) {
	id, err := pathID(r, "field")
	if err != nil {
		return nil, err
	}
	return nil, unlessGone(p.deps.Pipelines.DeleteField(r.Context(), s.Caller.UserID, s.account.ID, id))
}
