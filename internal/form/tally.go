package form

import (
	"encoding/json"
	"strings"
	"time"

	"dealflow/internal/fault"
)

// tallyEvent is what Tally sends when a form was submitted.
type tallyEvent struct {
	EventID   string `json:"eventId"`
	EventType string `json:"eventType"`
	CreatedAt string `json:"createdAt"`
	Data      struct {
		ResponseID   string       `json:"responseId"`
		SubmissionID string       `json:"submissionId"`
		RespondentID string       `json:"respondentId"`
		FormID       string       `json:"formId"`
		FormName     string       `json:"formName"`
		CreatedAt    string       `json:"createdAt"`
		Fields       []tallyField `json:"fields"`
	} `json:"data"`
}

type tallyField struct {
	Key     string          `json:"key"`
	Label   string          `json:"label"`
	Type    string          `json:"type"`
	Value   json.RawMessage `json:"value"`
	Options []option        `json:"options"`
	Rows    []option        `json:"rows"`
	Columns []option        `json:"columns"`
}

// option is a choice that a question offers.
type option struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// hookAnswer is an answer as it is stored. Value is null if the question was not answered, a string, or the files of an
// upload.
type hookAnswer struct {
	Key     string   `json:"key"`
	Label   string   `json:"label"`
	Type    string   `json:"type"`
	Value   any      `json:"value"`
	Options []option `json:"options,omitempty"`
}

// ReadTally parses the webhook that Tally sends when a form was submitted. Ids of chosen options become their texts.
// The error is InvalidBody if it is not such an event, has no id or an invalid time, or Check refuses it.
func ReadTally(raw []byte) (Incoming, error) {
	var event tallyEvent
	if err := decodeHook(raw, &event); err != nil {
		return Incoming{}, err
	}
	if event.EventType != "FORM_RESPONSE" {
		return Incoming{}, fault.Field("eventType", "must be FORM_RESPONSE")
	}
	d := event.Data
	in := Incoming{IntegrationType: IntegrationA, ExternalID: firstNonEmpty(d.SubmissionID, d.ResponseID)}
	return in.complete(tallyAnswers(d.Fields), firstNonEmpty(d.CreatedAt, event.CreatedAt), "data.submissionId",
		"data.createdAt", map[string]string{
			"form_id": d.FormID, "form_name": d.FormName, "event_id": event.EventID, "response_id": d.ResponseID,
			"respondent_id": d.RespondentID,
		})
}

// tallyAnswers returns the answers in the fields. It skips the fields in which Tally repeats whether one box of a
// question was ticked.
func tallyAnswers(fields []tallyField) []hookAnswer {
	again := map[string]bool{}
	for _, f := range fields {
		for _, o := range f.Options {
			again[f.Key+"_"+o.ID] = true
		}
	}
	var answers []hookAnswer
	for _, f := range fields {
		if !again[f.Key] {
			answers = append(answers, hookAnswer{
				Key: f.Key, Label: f.Label, Type: f.Type, Value: f.answer(), Options: f.Options,
			})
		}
	}
	return answers
}

func (f tallyField) answer() any {
	var files []json.RawMessage
	if (f.Type == "FILE_UPLOAD" || f.Type == "SIGNATURE") && json.Unmarshal(f.Value, &files) == nil && files != nil {
		return files
	}
	if f.Type == "MATRIX" {
		return f.matrix()
	}
	return plain(f.Value, textsOf(f.Options))
}

// matrix returns the answer to a matrix of questions: a line for each row that was answered, "" if none was. If the
// value is not an object, it returns what plain returns.
func (f tallyField) matrix() any {
	var chosen map[string]json.RawMessage
	if json.Unmarshal(f.Value, &chosen) != nil || chosen == nil {
		return plain(f.Value, nil)
	}
	columns := textsOf(f.Columns)
	var lines []string
	for _, row := range f.Rows {
		if text, answered := plain(chosen[row.ID], columns).(string); answered {
			lines = append(lines, row.Text+": "+text)
		}
	}
	return strings.Join(lines, "\n")
}

func textsOf(options []option) map[string]string {
	texts := make(map[string]string, len(options))
	for _, o := range options {
		texts[o.ID] = o.Text
	}
	return texts
}

// complete returns the submission with its answers, its time and its metadata, and checks it. submitted is the time; it
// may be "". The error is InvalidBody if the external id is missing, if the time is invalid, and for what Check
// refuses; in its details, the id is called idField and the time timeField. complete removes empty members from meta.
func (in Incoming) complete(
	answers []hookAnswer, submitted, idField, timeField string, meta map[string]string,
) (Incoming, error) {
	if strings.TrimSpace(in.ExternalID) == "" {
		return Incoming{}, fault.Field(idField, "is required: it identifies a submission that comes again")
	}
	if submitted != "" {
		at, err := time.Parse(time.RFC3339Nano, submitted)
		if err != nil || !at.After(time.Time{}) || at.UTC().Year() > 9999 {
			return Incoming{}, fault.Field(timeField, "must be a timestamp as in RFC 3339")
		}
		in.CreatedAt = &at
	}
	for name, value := range meta {
		if value == "" {
			delete(meta, name)
		}
	}
	if answers == nil {
		answers = []hookAnswer{}
	}
	var err error
	if in.Data, err = json.Marshal(answers); err != nil {
		return Incoming{}, fault.Field("body", "cannot be kept: "+err.Error())
	}
	if in.Metadata, err = json.Marshal(meta); err != nil {
		return Incoming{}, fault.Field("body", "cannot be kept: "+err.Error())
	}
	return in, in.Check()
}
