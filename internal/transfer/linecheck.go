package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dealflow/internal/blank"
	"dealflow/internal/company"
	"dealflow/internal/company/findings"
	"dealflow/internal/fault"
)

type (
	object map[string]json.RawMessage
	texts  []*string // an element that is null is nil
	moment struct{}  // a time; its value does not matter
)

// UnmarshalJSON implements json.Unmarshaler. It accepts null and times as in RFC 3339, also with seconds in the zone.
// It refuses other texts that Postgres accepts as a time, such as "infinity".
func (moment) UnmarshalJSON(raw []byte) error {
	var text *string
	if err := json.Unmarshal(raw, &text); err != nil || text == nil {
		return err
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999-07:00:00"} { // old zones have seconds
		if _, err := time.Parse(layout, *text); err == nil {
			return nil
		}
	}
	return fault.Field("data", fmt.Sprintf("has %.40q as a time: write it as 2006-01-02T15:04:05Z", *text))
}

// dated has the times of a row; only their form is checked.
type dated struct {
	CreatedAt moment `json:"created_at"`
	UpdatedAt moment `json:"updated_at"`
}

// shape has those members of lines, of all types, that the database stores as any JSON, any time or any text. Code that
// reads the rows later relies on their form.
type shape struct {
	dated

	MeetingDate moment  `json:"meeting_date"`
	MergedAt    moment  `json:"merged_at"`
	UndoneAt    moment  `json:"undone_at"`
	Assignees   []dated `json:"assignees"`
	Shares      []dated `json:"shares"`
	Corrections []dated `json:"corrections"`
	Companies   []dated `json:"companies"`
	Text        struct {
		dated

		Pages texts `json:"pages"`
	} `json:"text"`
	Rows []struct {
		Was dated `json:"was"`
	} `json:"rows"`

	Name  *string `json:"name"`
	Title *string `json:"title"`

	Metadata  object   `json:"metadata"`
	Attendees texts    `json:"attendees"`
	Tags      texts    `json:"tags"`
	ToEmails  texts    `json:"to_emails"`
	Options   texts    `json:"options"`
	Data      []object `json:"data"`
	Kept      []object `json:"kept"`

	Analysis struct {
		dated

		Found    object             `json:"found"`
		Analysis *findings.Analysis `json:"analysis"`
	} `json:"analysis"`
	Merged *struct {
		dated

		Metadata object `json:"metadata"`
		Source   string `json:"source"`
	} `json:"merged"`
	Changed map[string]object `json:"changed"`
}

// checkShape returns InvalidBody if data is not an object, if two of its members have names that differ only in case,
// or if a member of shape has another form in data than the one in which Export writes it. It does not check other
// members; the database does.
func checkShape(data json.RawMessage) error {
	members, err := distinct(data)
	if err == nil {
		_, err = distinct(members["merged"])
	}
	if err != nil {
		return err
	}
	var line shape
	if err := json.Unmarshal(data, &line); err != nil {
		if refused, found := errors.AsType[*fault.Error](err); found {
			return refused
		}
		return fault.JSON(err)
	}
	for name, text := range map[string]*string{"name": line.Name, "title": line.Title} {
		if text != nil && blank.Is(*text) {
			return fault.Field(name, "is empty")
		}
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

// distinct returns the members of an object, none for nil or null. The error is InvalidBody if raw is anything else
// than an object, or if names of two members differ only in case: for package json they are the same member, and for
// the database they are not.
func distinct(raw json.RawMessage) (object, error) {
	if raw == nil {
		return nil, nil
	}
	var members object
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, fault.JSON(err)
	}
	seen := make(map[string]bool, len(members))
	for name := range members {
		folded := strings.ToLower(strings.ToUpper(name)) // "ſ" is an s for package json
		if seen[folded] {
			return nil, fault.Field("data", fmt.Sprintf("has two members %.40q that differ only in case", folded))
		}
		seen[folded] = true
	}
	return members, nil
}

// checkChanged returns InvalidBody if a merge changed a field of a company from or to a value that is neither a string
// nor null, or changed the name from or to null or a blank text. It does not check members of the metadata.
func (s *shape) checkChanged() error {
	for name, step := range s.Changed {
		if strings.HasPrefix(name, "metadata.") {
			continue
		}
		for _, value := range []json.RawMessage{step["from"], step["to"]} {
			var text *string
			if len(value) > 0 && json.Unmarshal(value, &text) != nil || name == "name" && text == nil {
				return fault.Field("changed", "must have a string or null as the value of "+name)
			}
			if name == "name" && blank.Is(*text) {
				return fault.Field("changed", "must have a name that is not empty")
			}
		}
	}
	return nil
}
