package team

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"dealflow/internal/pages/formpage"
	"dealflow/internal/pages/frame"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres/paging"
)

// fieldList has the data of the page of an account's own fields of companies.
type fieldList struct {
	formpage.Outcome

	Tabs   formpage.Tabs
	Fields []fieldRow
	Types  []frame.Choice
}

// fieldRow is a field with the positions to which it can be moved.
type fieldRow struct {
	pipeline.FieldSetting
	moves

	Type  string // the label of the type
	Lines string // the options, one a line
	Types []frame.Choice
}

func (p *pages) fieldRoutes() {
	d := p.forms.Add(p.frame.Member, teamPath+"/fields", p.fieldsPage)
	d.Form("/add", "The field is added.", p.addField)
	d.Form("/{field}/change", "The field is changed.", formpage.WithID("field", p.changeField))
	d.Form("/{field}/place", "The order is changed.", formpage.WithID("field", moving(p.deps.Pipelines.MoveFieldBefore)))
	d.Form("/{field}/delete", "The field is deleted. What companies hold under its name stays theirs.",
		formpage.WithID("field", p.deleteField))
}

func fieldTypes() []frame.Choice {
	labels := map[string]string{
		"text": "Text", "number": "Number", "date": "Date", "url": "Web address", "email": "Email address",
		"boolean": "Yes or no", pipeline.FieldSelect: "One of the options", pipeline.FieldMultiSelect: "Some of the options",
	}
	var types []frame.Choice
	for _, one := range pipeline.FieldTypes() {
		types = append(types, frame.Choice{Value: one, Label: labels[one]})
	}
	return types
}

func (p *pages) fieldsPage(w http.ResponseWriter, r *http.Request, s *frame.Scene, o formpage.Outcome) error {
	fields, _, err := p.deps.Pipelines.Fields(r.Context(), s.Who, s.Account.ID, paging.First(pipeline.Most))
	if err != nil {
		return err
	}
	model := fieldList{Outcome: o, Tabs: teamTabs(s, "/fields"), Types: fieldTypes()}
	moves := movesOf(fields, func(one pipeline.FieldSetting) uuid.UUID { return one.ID })
	for i, one := range fields {
		row := fieldRow{FieldSetting: one, moves: moves[i], Lines: strings.Join(one.Options, "\n"), Types: model.Types}
		for _, known := range model.Types {
			if known.Value == one.FieldType {
				row.Type = known.Label
			}
		}
		model.Fields = append(model.Fields, row)
	}
	return p.frame.Show(w, o.Status(), "fields", s.Page("Fields", "team", model))
}

// optionsOf returns the options of a form, one for each line that is not blank, without spaces around them.
func optionsOf(form url.Values) []string {
	options := []string{}
	for line := range strings.Lines(form.Get("options")) {
		if line = strings.TrimSpace(line); line != "" {
			options = append(options, line)
		}
	}
	return options
}

func (p *pages) addField(r *http.Request, s *frame.Scene, form url.Values) (any, error) {
	_, err := p.deps.Pipelines.CreateField(r.Context(), s.Caller.UserID, s.Account.ID, pipeline.NewField{
		Name: form.Get("name"), FieldType: form.Get("field_type"), Options: optionsOf(form), Required: form.Has("required"),
	})
	return nil, err
}

func (p *pages) changeField(r *http.Request, s *frame.Scene, id uuid.UUID, form url.Values) (any, error) {
	_, err := p.deps.Pipelines.ChangeField(r.Context(), s.Caller.UserID, s.Account.ID, id, pipeline.FieldChange{
		Name: new(form.Get("name")), FieldType: new(form.Get("field_type")), Options: new(optionsOf(form)),
		Required: new(form.Has("required")),
	})
	return nil, err
}

// deleteField deletes a field. A field that was deleted before is not an error.
func (p *pages) deleteField(r *http.Request, s *frame.Scene, id uuid.UUID, _ url.Values) (any, error) {
	return nil, formpage.UnlessGone(p.deps.Pipelines.DeleteField(r.Context(), s.Caller.UserID, s.Account.ID, id))
}
