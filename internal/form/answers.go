package form

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"dealflow/internal/blank"
	"dealflow/internal/fault"
	"dealflow/internal/jsontext"
)

// checkAnswers returns InvalidBody if data is not an array of 1 to MaxAnswers objects, or cannot be stored as it is
// (see jsontext.Check), or else if answers are invalid: the error then names every invalid key, label, type and
// options. It does not check values: their form depends on the type of the answer, and form builders invent new types.
func checkAnswers(data json.RawMessage) error {
	var answers []map[string]json.RawMessage
	if json.Unmarshal(data, &answers) != nil {
		return fault.Field("data", "must be an array of answers, which are objects")
	}
	if err := jsontext.Check(data); err != nil {
		return fault.Field("data", err.Error())
	}
	if len(answers) == 0 {
		return fault.Field("data", "must hold at least one answer")
	}
	if len(answers) > MaxAnswers {
		return fault.Field("data", fmt.Sprintf("has more than %d answers", MaxAnswers))
	}
	var wrong []fault.Detail
	for i, answer := range answers {
		for _, problem := range checkAnswer(answer) {
			wrong = append(wrong, fault.Detail{Field: fmt.Sprintf("data.%d%s", i, problem.Field), Message: problem.Message})
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.InvalidBody, "invalid_field", wrong...)
	}
	return nil
}

// holdsNUL reports whether a string of a JSON text contains U+0000, which Postgres cannot store in a text.
func holdsNUL(raw []byte) bool {
	for at := bytes.IndexByte(raw, '\\'); at >= 0; at = bytes.IndexByte(raw, '\\') {
		if bytes.HasPrefix(raw[at:], []byte(`\u0000`)) {
			return true
		}
		raw = raw[min(at+2, len(raw)):] // the escaped character may be a backslash
	}
	return false
}

func checkAnswer(answer map[string]json.RawMessage) []fault.Detail {
	if answer == nil {
		return []fault.Detail{{Message: "must be an object"}}
	}
	var wrong []fault.Detail
	var key string
	switch err := json.Unmarshal(orNull(answer["key"]), &key); {
	case err != nil:
		wrong = append(wrong, fault.Detail{Field: ".key", Message: "must be a string"})
	case blank.Is(key):
		wrong = append(wrong, fault.Detail{Field: ".key", Message: "is required and must hold something besides white space"})
	case utf8.RuneCountInString(key) > MaxKey:
		wrong = append(wrong, fault.Detail{Field: ".key", Message: fmt.Sprintf("has more than %d characters", MaxKey)})
	}
	for _, name := range []string{"label", "type"} {
		var text *string
		if json.Unmarshal(orNull(answer[name]), &text) != nil {
			wrong = append(wrong, fault.Detail{Field: "." + name, Message: "must be a string"})
		}
	}
	var options []json.RawMessage
	if json.Unmarshal(orNull(answer["options"]), &options) != nil {
		wrong = append(wrong, fault.Detail{Field: ".options", Message: "must be an array"})
	}
	return wrong
}

// orNull returns raw, or null for a member that was not sent.
func orNull(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("null")
	}
	return raw
}
