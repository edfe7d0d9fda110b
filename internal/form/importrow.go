package form

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/jsontext"
)

// Incoming is a submission that was created elsewhere. AddBatch chooses an ID if it has none.
type Incoming struct {
	Draft

	ID              uuid.UUID
	IntegrationType string
	ExternalID      string     // identifies a submission that is sent again
	CreatedAt       *time.Time // when it was made there; nil: now
}

// jsonRow is a submission as one JSON object.
type jsonRow struct {
	ExternalID      string          `json:"external_id"`
	IntegrationType string          `json:"integration_type"`
	Data            json.RawMessage `json:"data"`
	CompanyID       string          `json:"company_id"`
	Metadata        json.RawMessage `json:"metadata"`
	CreatedAt       string          `json:"created_at"`
}

// answer is an answer in a column of a CSV file.
type answer struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Type  string `json:"type"`
	Value string `json:"value"`
}

// ReadRow parses a submission that is one JSON object, such as a line of NDJSON. If the object has no external_id,
// ExternalID is what contentID returns. The error is InvalidBody for what jsontext.ReadRow refuses, for an invalid
// type, company id or time, and for what Check refuses.
func ReadRow(raw []byte) (Incoming, error) {
	var row jsonRow
	if err := jsontext.ReadRow(raw, &row); err != nil {
		return Incoming{}, err
	}
	return row.incoming()
}

// ReadFields parses a submission that is a row of a table. fields must have a value, which may be "", for each of the
// columns. A column that has the name of a member of ReadRow's object is read as this member. Every other column with a
// value is an answer, after the answers of the column "data". The ExternalID and the errors are as for ReadRow.
func ReadFields(columns, fields []string) (Incoming, error) {
	var row jsonRow
	var answers []answer
	for i, name := range columns {
		switch value := fields[i]; name {
		case "external_id":
			row.ExternalID = value
		case "integration_type":
			row.IntegrationType = value
		case "company_id":
			row.CompanyID = value
		case "created_at":
			row.CreatedAt = value
		case "data":
			row.Data = json.RawMessage(value)
		case "metadata":
			row.Metadata = json.RawMessage(value)
		default:
			if value != "" {
				label := firstNonEmpty(name, fmt.Sprintf("column %d", i+1))
				answers = append(answers, answer{Key: label, Label: label, Type: "INPUT_TEXT", Value: value})
			}
		}
	}
	return row.with(answers)
}

// with returns the submission with the answers of columns after the answers of the data. The data may be empty if there
// are answers of columns. The error is InvalidBody if the data is not an array, or that of incoming.
func (r jsonRow) with(answers []answer) (Incoming, error) {
	if len(answers) == 0 {
		return r.incoming()
	}
	var all []json.RawMessage
	if strings.TrimSpace(string(r.Data)) != "" && json.Unmarshal(r.Data, &all) != nil {
		return Incoming{}, fault.Field("data", "must be an array of answers, which are objects")
	}
	for _, a := range answers {
		encoded, err := json.Marshal(a)
		if err != nil {
			return Incoming{}, fmt.Errorf("encode an answer: %w", err)
		}
		all = append(all, encoded)
	}
	var err error
	if r.Data, err = json.Marshal(all); err != nil {
		return Incoming{}, fault.Field("data", "is not valid JSON")
	}
	return r.incoming()
}

func (r jsonRow) incoming() (Incoming, error) {
	in := Incoming{
		ExternalID: strings.TrimSpace(r.ExternalID), Draft: Draft{Data: r.Data, Metadata: objectOrNil(r.Metadata)},
	}
	var wrong []fault.Detail
	refuse := func(field, message string) { wrong = append(wrong, fault.Detail{Field: field, Message: message}) }
	var known bool
	if in.IntegrationType, known = typeOf(r.IntegrationType); !known {
		tools := ToolNames()
		last := len(tools) - 1
		refuse("integration_type", strings.Join(append([]string{"must be manual"}, tools[:last]...), ", ")+" or "+tools[last])
	}
	if r.CompanyID != "" {
		id, err := uuid.Parse(r.CompanyID)
		if err != nil {
			refuse("company_id", "must be a UUID")
		}
		in.CompanyID = &id
	}
	if r.CreatedAt != "" {
		at, err := time.Parse(time.RFC3339Nano, r.CreatedAt)
		if err != nil || !at.After(time.Time{}) || at.UTC().Year() > 9999 {
			refuse("created_at", "must be a timestamp as in RFC 3339, such as 2026-03-02T10:00:00Z")
		}
		in.CreatedAt = &at
	}
	if len(wrong) > 0 {
		return Incoming{}, fault.New(fault.InvalidBody, "invalid_field", wrong...)
	}
	if in.ExternalID == "" {
		in.ExternalID = contentID(in)
	}
	return in, in.Check()
}

// Check returns InvalidBody if the external id is too long or has a NUL character, or if the answers are missing;
// otherwise InvalidBody with everything that checkMetadata and checkAnswers refuse. It does not look the company up.
func (in Incoming) Check() error {
	switch {
	case utf8.RuneCountInString(in.ExternalID) > MaxExternalID:
		return fault.Field("external_id", fmt.Sprintf("has more than %d characters", MaxExternalID))
	case strings.ContainsRune(in.ExternalID, 0):
		return fault.Field("external_id", "holds a NUL character")
	case len(in.Data) == 0 || string(in.Data) == "null":
		return fault.Field("data", "is required: a submission has at least one answer")
	}
	return fault.All(checkMetadata(in.Metadata), checkAnswers(in.Data))
}

// checkMetadata returns InvalidBody for metadata that is not a JSON object, or that cannot be stored as it is. Empty
// metadata is valid.
func checkMetadata(metadata json.RawMessage) error {
	if len(metadata) == 0 {
		return nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(metadata, &members) != nil || members == nil {
		return fault.Field("metadata", "must be a JSON object")
	}
	if err := jsontext.Check(metadata); err != nil {
		return fault.Field("metadata", err.Error())
	}
	return nil
}

// contentID returns an id for a submission that was sent without one: a hash of its answers, its time of creation, and
// its company.
func contentID(in Incoming) string {
	hash := sha256.New()
	hash.Write(in.Data)
	if in.CreatedAt != nil {
		hash.Write([]byte(in.CreatedAt.UTC().Format(time.RFC3339Nano)))
	}
	if in.CompanyID != nil {
		hash.Write(in.CompanyID[:])
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil))
}

func objectOrNil(raw json.RawMessage) json.RawMessage {
	if text := strings.TrimSpace(string(raw)); text == "" || text == "null" {
		return nil
	}
	return raw
}

func firstNonEmpty(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}
