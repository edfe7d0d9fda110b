package companies

import (
	"context"
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"dealflow/internal/fault"
	"dealflow/internal/pages/frame"
	"dealflow/internal/pages/render"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres/paging"
)

// yes is the text, on pages, of the value true of a field.
const yes = "yes"

// ownField is a field of the account, with the value that a company has under the field's name in its metadata.
type ownField struct {
	Key      string // its name in the form
	Name     string
	Type     string
	Required bool
	Value    string   // as the page shows it
	Chosen   []string // the chosen options
	Choices  []string // the options, and what else is chosen
	Input    string   // the type of the input; "" where the field has options, or a value that a form cannot hold
	Link     string   // where the value is an address of the web
}

// fieldSettings returns the account's own fields in their order, at most pipeline.Most.
func (p *pages) fieldSettings(ctx context.Context, s *frame.Scene) ([]pipeline.FieldSetting, error) {
	settings, _, err := p.deps.Pipelines.Fields(ctx, s.Who, s.Account.ID, paging.First(pipeline.Most))
	return settings, err
}

// ownFieldsOf returns the account's own fields with the values that metadata has. It leaves out fields named like a
// member of metadata that the service itself writes: founders, ai_analysis and analyzed_at.
func ownFieldsOf(settings []pipeline.FieldSetting, metadata json.RawMessage) []ownField {
	var held map[string]json.RawMessage
	_ = json.Unmarshal(metadata, &held) // an object
	var fields []ownField
	for _, setting := range settings {
		if !slices.Contains([]string{"founders", "ai_analysis", "analyzed_at"}, setting.Name) {
			fields = append(fields, ownFieldOf(setting, held[setting.Name]))
		}
	}
	return fields
}

func ownFieldOf(setting pipeline.FieldSetting, held json.RawMessage) ownField {
	f := ownField{
		Key: "own." + setting.ID.String(), Name: setting.Name, Type: setting.FieldType, Required: setting.Required,
		Choices: setting.Options,
	}
	editable := f.read(held)
	f.Link = render.WebLink(f.Value)
	for _, chosen := range f.Chosen {
		if !slices.Contains(f.Choices, chosen) {
			f.Choices = append(slices.Clone(f.Choices), chosen)
		}
	}
	if editable && f.Type != pipeline.FieldSelect && f.Type != pipeline.FieldMultiSelect {
		f.Input = f.inputOf()
	}
	if !editable {
		f.Type = "" // clients may write anything under the name
	}
	return f
}

// read sets Value and Chosen from the JSON value that a company has for the field, and reports whether a form can show
// and change it.
func (f *ownField) read(held json.RawMessage) bool {
	var value any
	_ = json.Unmarshal(held, &value) // nil if nothing is held
	switch value := value.(type) {
	case nil:
		return true
	case string:
		f.Value = value
	case bool:
		f.Value = map[bool]string{true: yes, false: "no"}[value]
	case float64:
		f.Value = string(held)
	default:
		if f.Type != pipeline.FieldMultiSelect || json.Unmarshal(held, &f.Chosen) != nil {
			f.Value = string(held)
			return false
		}
		f.Value = strings.Join(f.Chosen, ", ")
		return true
	}
	if f.Value != "" && (f.Type == pipeline.FieldSelect || f.Type == pipeline.FieldMultiSelect) {
		f.Chosen = []string{f.Value}
	}
	return true
}

// inputOf returns the type of the input for the field. If the value does not fit the type of the field, it returns
// "text": such an input accepts any value.
func (f *ownField) inputOf() string {
	_, noNumber := strconv.ParseFloat(f.Value, 64)
	_, noDate := time.Parse(time.DateOnly, f.Value)
	fits := map[string]bool{
		"number": noNumber == nil, "date": noDate == nil, "url": f.Link != "", "email": strings.Contains(f.Value, "@"),
		"boolean": f.Value == yes || f.Value == "no",
	}
	input, known := fits[f.Type]
	switch {
	case !known || f.Value != "" && !input:
		return "text"
	case f.Type == "boolean":
		return "checkbox"
	}
	return f.Type
}

// Seen returns the fingerprint of the value that a form shows.
func (f *ownField) Seen() string { return fingerprint(f.shown()) }

// shown returns the value with which the form is filled in, as one text. It equals the text that sent returns for a
// form in which the value was not changed.
func (f *ownField) shown() string {
	switch {
	case f.Input == "checkbox" && f.Value != yes:
		return ""
	case f.Type == pipeline.FieldMultiSelect:
		return joined(f.Chosen)
	}
	return strings.TrimSpace(f.Value)
}

// sent returns the value that a form has for the field, as one text; "" if it has none.
func (f *ownField) sent(form url.Values) string {
	if f.Type == pipeline.FieldMultiSelect {
		return joined(form[f.Key])
	}
	return strings.TrimSpace(form.Get(f.Key))
}

// joined returns options as one text, which is the same for any order of them.
func joined(options []string) string {
	return strings.Join(slices.Sorted(slices.Values(options)), "\n")
}

// isEdited reports whether a form has the field, with a value other than the one with which the form was shown.
func (f *ownField) isEdited(form url.Values) bool {
	seen := "seen." + f.Key
	return f.Type != "" && (form.Has(f.Key) || form.Has(seen)) && form.Get(seen) != fingerprint(f.sent(form))
}

// changed returns the fields that a form changes, as members of the metadata by their names; a value of nil clears the
// field. It leaves out fields that have the value that was sent, fields that the visitor did not change, and fields
// that no form can show. The error is InvalidBody if the text for a number is not a finite number.
func changed(fields []ownField, form url.Values) (map[string]any, error) {
	members := map[string]any{}
	for _, f := range fields {
		sent := f.sent(form)
		switch {
		case !f.isEdited(form) || sent == f.shown():
		case f.Input == "checkbox":
			members[f.Name] = form.Has(f.Key)
		case f.Type == pipeline.FieldMultiSelect:
			members[f.Name] = form[f.Key]
		case sent == "":
			members[f.Name] = nil
		case f.Type == "number":
			number, err := strconv.ParseFloat(sent, 64)
			if err != nil || math.IsNaN(number) || math.IsInf(number, 0) {
				return nil, fault.Field(f.Name, "must be a number")
			}
			members[f.Name] = number
		default:
			members[f.Name] = sent
		}
	}
	return members, nil
}
