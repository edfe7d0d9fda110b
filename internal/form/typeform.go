package form

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"dealflow/internal/fault"
)

// typeformEvent is what Typeform sends when a form was submitted.
type typeformEvent struct {
	EventID   string `json:"event_id"`
	EventType string `json:"event_type"`
	Response  struct {
		FormID      string                     `json:"form_id"`
		Token       string                     `json:"token"`
		ResponseID  string                     `json:"response_id"`
		LandedAt    string                     `json:"landed_at"`
		SubmittedAt string                     `json:"submitted_at"`
		Hidden      map[string]json.RawMessage `json:"hidden"`
		Calculated  map[string]json.RawMessage `json:"calculated"`
		Variables   []map[string]any           `json:"variables"`
		Definition  struct {
			Title  string          `json:"title"`
			Fields []typeformField `json:"fields"`
		} `json:"definition"`
		Answers []map[string]json.RawMessage `json:"answers"`
	} `json:"form_response"`
}

type typeformField struct {
	ID      string `json:"id"`
	Ref     string `json:"ref"`
	Type    string `json:"type"`
	Title   string `json:"title"`
	Choices []struct {
		ID    string `json:"id"`
		Label string `json:"label"`
	} `json:"choices"`
	Properties struct {
		Fields []typeformField `json:"fields"`
	} `json:"properties"`
}

// ReadTypeform parses the webhook that Typeform sends when a form was submitted. The types of answers get the names
// that Tally has for them. Hidden fields, calculated fields and variables become answers too. The error is InvalidBody
// if it is not such an event, has no id or an invalid time, or Check refuses it.
func ReadTypeform(raw []byte) (Incoming, error) {
	var event typeformEvent
	if err := decodeHook(raw, &event); err != nil {
		return Incoming{}, err
	}
	if event.EventType != "form_response" {
		return Incoming{}, fault.Field("event_type", "must be form_response")
	}
	r := event.Response
	asked := map[string]typeformField{}
	remember(asked, "", r.Definition.Fields)
	var answers []hookAnswer
	for _, given := range r.Answers {
		answers = append(answers, typeformAnswer(given, asked))
	}
	answers = append(answers, extras("HIDDEN_FIELDS", r.Hidden)...)
	answers = append(answers, extras("CALCULATED_FIELDS", r.Calculated)...)
	for _, v := range r.Variables {
		key := plainText(v["key"], nil)
		kind, _ := v["type"].(string)
		encoded, err := json.Marshal(v[kind])
		if err == nil && key != "" {
			answers = append(answers, hookAnswer{Key: key, Label: key, Type: "CALCULATED_FIELDS", Value: plain(encoded, nil)})
		}
	}
	in := Incoming{IntegrationType: IntegrationB, ExternalID: firstNonEmpty(r.Token, r.ResponseID)}
	return in.complete(answers, r.SubmittedAt, "form_response.token", "form_response.submitted_at", map[string]string{
		"form_id": r.FormID, "form_name": r.Definition.Title, "event_id": event.EventID,
		"response_id": firstNonEmpty(r.ResponseID, r.Token), "landed_at": r.LandedAt,
	})
}

// remember adds questions to asked by their ids, also those inside groups and matrices. above is the title of the group
// or matrix that has the questions, or "". If it is not "", remember puts it and ": " before their titles.
func remember(asked map[string]typeformField, above string, fields []typeformField) {
	for _, f := range fields {
		if above != "" {
			f.Title = above + ": " + f.Title
		}
		asked[f.ID] = f
		remember(asked, f.Title, f.Properties.Fields)
	}
}

func typeformAnswer(given map[string]json.RawMessage, asked map[string]typeformField) hookAnswer {
	var field typeformField
	var kind string
	_ = json.Unmarshal(orNull(given["field"]), &field) // what is wrong with it is found by the check of its key
	_ = json.Unmarshal(orNull(given["type"]), &kind)
	question := asked[field.ID]
	made := hookAnswer{
		Key: firstNonEmpty(field.Ref, field.ID), Label: firstNonEmpty(question.Title, field.Ref),
		Type: answerType(field.Type, kind),
	}
	for _, c := range question.Choices {
		made.Options = append(made.Options, option{ID: c.ID, Text: c.Label})
	}
	switch value := given[kind]; kind {
	case "choice", "choices":
		made.Value = choiceTexts(value)
	case "file_url":
		made.Value = uploaded(value)
	default:
		made.Value = plain(value, textsOf(made.Options))
	}
	return made
}

// choiceTexts returns the texts of the chosen options and the text that was entered in place of an option, separated by
// commas. It returns nil if there are none, and what plain returns if raw is not an object of choices.
func choiceTexts(raw json.RawMessage) any {
	var c struct {
		Label  string   `json:"label"`
		Labels []string `json:"labels"`
		Other  string   `json:"other"`
	}
	if json.Unmarshal(orNull(raw), &c) != nil {
		return plain(raw, nil)
	}
	texts := slices.DeleteFunc(append([]string{c.Label}, append(c.Labels, c.Other)...),
		func(text string) bool { return text == "" })
	if len(texts) == 0 {
		return nil
	}
	return strings.Join(texts, ", ")
}

// upload is a file as Tally describes it. Typeform does not say its size.
type upload struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	URL  string `json:"url"`
	Size *int64 `json:"size"`
}

func uploaded(raw json.RawMessage) any {
	var link string
	if json.Unmarshal(orNull(raw), &link) != nil || link == "" {
		return []upload{}
	}
	name := path.Base(strings.SplitN(link, "?", 2)[0])
	id, rest, found := strings.Cut(name, "-")
	if found && rest != "" && len(id) >= 8 {
		return []upload{{ID: id, Name: rest, URL: link}}
	}
	return []upload{{ID: name, Name: name, URL: link}}
}

func extras(kind string, values map[string]json.RawMessage) []hookAnswer {
	var answers []hookAnswer
	for _, name := range slices.Sorted(maps.Keys(values)) {
		answers = append(answers, hookAnswer{Key: name, Label: name, Type: kind, Value: plain(values[name], nil)})
	}
	return answers
}

// answerType returns Tally's name for the type of a question. field is Typeform's type of the question, and answer
// Typeform's type of the answer. A type without a name in Tally is returned in capitals: field or, if field is "",
// answer.
func answerType(field, answer string) string {
	switch field {
	case "short_text":
		return "INPUT_TEXT"
	case "long_text":
		return "TEXTAREA"
	case "website":
		return "INPUT_LINK"
	case "multiple_choice", "picture_choice":
		if answer == "choices" {
			return "CHECKBOXES"
		}
		return "MULTIPLE_CHOICE"
	case "opinion_scale", "nps":
		return "LINEAR_SCALE"
	case "yes_no", "legal":
		return "CHECKBOX"
	case "email", "number", "date":
		return "INPUT_" + strings.ToUpper(field)
	case "phone_number":
		return "INPUT_PHONE_NUMBER"
	case "":
		return strings.ToUpper(answer)
	}
	return strings.ToUpper(field) // DROPDOWN, FILE_UPLOAD, RATING, RANKING, MATRIX, PAYMENT …
}
