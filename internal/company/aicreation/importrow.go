package aicreation

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/fault"
	"dealflow/internal/jsontext"
)

// jsonRow is a row of an import of companies, as JSON.
type jsonRow struct {
	ExternalID string          `json:"external_id"`
	Text       string          `json:"text"`
	Name       string          `json:"name"`
	Visibility string          `json:"visibility"`
	Source     string          `json:"source"`
	Notes      *string         `json:"notes"`
	StatusID   string          `json:"company_status_id"`
	Metadata   json.RawMessage `json:"metadata"`
}

// ReadRow parses an imported company that is one JSON object, such as a line of NDJSON. The draft has no CompanyID,
// WorkID and AccountID; if the row has no external id, ExternalID is a hash of its text and name. The error is
// InvalidBody for what jsontext.ReadRow refuses, for an invalid status id, and for members that are too long. The
// caller must call Check for the other rules.
func ReadRow(raw []byte) (Draft, error) {
	var row jsonRow
	if err := jsontext.ReadRow(raw, &row); err != nil {
		return Draft{}, err
	}
	return row.draft()
}

// ReadFields parses an imported company that is a row of a table; fields must have a value for each column. A column
// that has the name of a member of ReadRow's object is read as this member. Every other column with a value becomes a
// member of the metadata, unless the column "metadata" has a member with this name. If no column is named "text",
// composed returns the text and the name. The draft and the errors are as for ReadRow.
func ReadFields(columns, fields []string) (Draft, error) {
	var row jsonRow
	if !slices.Contains(columns, "text") {
		row.Text, row.Name = composed(columns, fields)
	}
	more := map[string]string{}
	for i, name := range columns {
		switch value := fields[i]; {
		case name == "external_id":
			row.ExternalID = value
		case name == "text":
			row.Text = value
		case name == "name":
			row.Name = strings.TrimSpace(value)
		case name == "visibility":
			row.Visibility = strings.TrimSpace(value)
		case name == "source":
			row.Source = strings.TrimSpace(value)
		case name == "notes" && value != "":
			row.Notes = &value
		case name == "company_status_id":
			row.StatusID = strings.TrimSpace(value)
		case name == "metadata":
			row.Metadata = json.RawMessage(value)
		case name != "notes" && value != "":
			more[columnName(name, i)] = value
		}
	}
	if err := row.merge(more); err != nil {
		return Draft{}, err
	}
	return row.draft()
}

func columnName(name string, position int) string {
	if name == "" {
		return fmt.Sprintf("column %d", position+1)
	}
	return name
}

// merge adds members to the metadata, except members that the metadata has already. The error is InvalidBody if the
// metadata is not a JSON object. If there is nothing to add, merge does not parse the metadata.
func (r *jsonRow) merge(more map[string]string) error {
	if strings.TrimSpace(string(r.Metadata)) == "" {
		r.Metadata = nil
	}
	if len(more) == 0 {
		return nil
	}
	given := map[string]json.RawMessage{}
	if r.Metadata != nil && (json.Unmarshal(r.Metadata, &given) != nil || given == nil) {
		return fault.Field("metadata", "must be a JSON object")
	}
	members := map[string]any{}
	for name, value := range more {
		members[name] = value
	}
	for name, value := range given {
		members[name] = value
	}
	r.Metadata, _ = company.EncodeMetadata(members) // every member is a string or JSON
	return nil
}

func (r jsonRow) draft() (Draft, error) {
	d := Draft{
		ExternalID: strings.TrimSpace(r.ExternalID), Text: r.Text, Name: r.Name, Visibility: r.Visibility, Source: r.Source,
		Notes: r.Notes, Metadata: r.Metadata,
	}
	if string(d.Metadata) == "null" {
		d.Metadata = nil
	}
	var wrong []fault.Detail
	if r.StatusID != "" {
		id, err := uuid.Parse(r.StatusID)
		if err != nil {
			wrong = append(wrong, fault.Detail{Field: "company_status_id", Message: "must be a UUID"})
		}
		d.StatusID = &id
	}
	if utf8.RuneCountInString(d.ExternalID) > maxExternalID {
		wrong = append(wrong, fault.Detail{
			Field: "external_id", Message: fmt.Sprintf("has more than %d characters", maxExternalID),
		})
	}
	if err := jsontext.Check(d.Metadata); d.Metadata != nil && err != nil {
		wrong = append(wrong, fault.Detail{Field: "metadata", Message: err.Error()})
	}
	wrong = append(wrong, r.tooLong()...)
	if len(wrong) > 0 {
		return Draft{}, fault.New(fault.InvalidBody, "invalid_field", wrong...)
	}
	if d.ExternalID == "" {
		d.ExternalID = r.contentID()
	}
	return d, nil
}

func (r jsonRow) tooLong() []fault.Detail {
	notes := ""
	if r.Notes != nil {
		notes = *r.Notes
	}
	var wrong []fault.Detail
	for _, field := range []struct {
		name, value string
		most        int
	}{{"external_id", r.ExternalID, maxRowField}, {"text", r.Text, MaxText}, {"name", r.Name, maxRowField}, {
		"notes", notes, maxRowField,
	}, {"metadata", string(r.Metadata), maxRowField}} {
		if len(field.value) > field.most {
			wrong = append(wrong, fault.Detail{Field: field.name, Message: fmt.Sprintf("is larger than %d bytes", field.most)})
		}
		if strings.ContainsRune(field.value, 0) {
			wrong = append(wrong, fault.Detail{Field: field.name, Message: "holds a NUL character"})
		}
	}
	return wrong
}

// contentID returns an external id for a row that has none: "sha256:" and the hash of its text and name.
func (r jsonRow) contentID() string {
	hash := sha256.New()
	for _, text := range []string{r.Text, "\x00", r.Name} {
		hash.Write([]byte(text))
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil))
}
