package transfer

import (
	"encoding/json"
	"slices"
	"strings"

	"dealflow/internal/company"
	"dealflow/internal/fault"
)

type (
	object map[string]json.RawMessage
	texts  []*string // an element that is null is nil
)

// shape has those members of lines, of all types, that the database stores as any JSON. Code that reads the rows later
// relies on their form.
type shape struct {
	Metadata  object   `json:"metadata"`
	Attendees texts    `json:"attendees"`
	Tags      texts    `json:"tags"`
	ToEmails  texts    `json:"to_emails"`
	Options   texts    `json:"options"`
	Data      []object `json:"data"`
	Kept      []object `json:"kept"`

	Analysis struct {
		Found object `json:"found"`
	} `json:"analysis"`
	Merged *struct {
		Metadata object `json:"metadata"`
		Source   string `json:"source"`
	} `json:"merged"`
	Changed map[string]struct {
		From json.RawMessage `json:"from"`
		To   json.RawMessage `json:"to"`
	} `json:"changed"`
}

// checkShape returns InvalidBody for the data of a line that has a member of another form than Export writes.
func checkShape(data json.RawMessage) error {
	var line shape
	if err := json.Unmarshal(data, &line); err != nil {
		return fault.JSON(err)
	}
	for name, list := range map[string]texts{
		"attendees": line.Attendees, "tags": line.Tags, "to_emails": line.ToEmails, "options": line.Options,
	} {
		if slices.Contains(list, nil) {
			return fault.Field(name, "must be an array of strings")
		}
	}
	for name, list := range map[string][]object{"data": line.Data, "kept": line.Kept} {
		if slices.ContainsFunc(list, func(one object) bool { return one == nil }) {
			return fault.Field(name, "must be an array of objects")
		}
	}
	if line.Merged != nil && !slices.Contains(company.Sources(), line.Merged.Source) {
		return fault.Field("merged", "has no source of a company")
	}
	return line.checkChanged()
}

// checkChanged returns InvalidBody for a field of a company that a merge changed, but not to or from a text.
func (s *shape) checkChanged() error {
	for name, step := range s.Changed {
		if strings.HasPrefix(name, "metadata.") {
			continue
		}
		for _, value := range []json.RawMessage{step.From, step.To} {
			var text *string
			if len(value) > 0 && json.Unmarshal(value, &text) != nil || name == "name" && text == nil {
				return fault.Field("changed", "must have a string or null as the value of "+name)
			}
		}
	}
	return nil
}
