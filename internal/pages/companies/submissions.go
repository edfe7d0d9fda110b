package companies

import (
	"encoding/json"
	"strings"

	"dealflow/internal/form"
)

// submitted is a form submission with its answers in their order.
type submitted struct {
	form.Submission

	Answers []answer
}

// answer is one answer of a submission, as text.
type answer struct{ Label, Value string }

// answersOf returns the answers of a form submission, in their order, without those that are empty. An answer without a
// label has its key as the label.
func answersOf(data json.RawMessage) []answer {
	var sent []struct {
		Key, Label any
		Value      json.RawMessage
	}
	_ = json.Unmarshal(data, &sent) // what is stored was checked
	var answers []answer
	for _, one := range sent {
		label, _ := one.Label.(string)
		if label == "" {
			label, _ = one.Key.(string)
		}
		if value := plainValue(one.Value); value != "" {
			answers = append(answers, answer{label, value})
		}
	}
	return answers
}

// plainValue returns a JSON value as text: a string as it is, a list of strings with commas between, "" for null, and
// anything else as JSON.
func plainValue(value json.RawMessage) string {
	var text string
	var list []string
	switch {
	case len(value) == 0 || string(value) == "null":
		return ""
	case json.Unmarshal(value, &text) == nil:
		return text
	case json.Unmarshal(value, &list) == nil:
		return strings.Join(list, ", ")
	}
	return string(value)
}
