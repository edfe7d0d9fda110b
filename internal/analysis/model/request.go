package model

import (
	"crypto/rand"
	"encoding/json"
	"strconv"

	"github.com/sashabaranov/go-openai"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/lessons"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/source"
)

// modelCase is the data that is sent to the model. Stages and documents have short names in place of their IDs ("s1"),
// so that equal cases are sent as equal bytes.
type modelCase struct {
	Text        string                    `json:"text"`
	Documents   []modelDocument           `json:"documents"`
	Links       []string                  `json:"links"`
	DeckLink    string                    `json:"deck_link"`
	Stages      []modelStage              `json:"stages"`
	Wanted      []string                  `json:"wanted"`
	Hints       modelHints                `json:"hints"`
	Corrections []lessons.ModelCorrection `json:"corrections"`
}

type modelDocument struct {
	ID       string      `json:"id"`
	FileName string      `json:"file_name"`
	Title    string      `json:"title"`
	Count    int         `json:"page_count"`
	Pages    []modelPage `json:"pages"`
}

type modelPage struct {
	Page int    `json:"page"`
	Text string `json:"text"`
}

type modelStage struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Rank int    `json:"rank"`
}

type modelHints struct {
	Name     string             `json:"name"`
	Founders []analysis.Founder `json:"founders"`
	Status   string             `json:"status"`
	Source   string             `json:"source"`
	Deck     string             `json:"deck"`
}

// preparedCase is a case in JSON as it is sent, with the schema of its answer. remark says which parts of the input
// were left out.
type preparedCase struct {
	data   []byte
	schema json.RawMessage
	given  modelCase
	remark string // "" if nothing was left out
}

const (
	longestLink = 300
	mostLinks   = 40
)

// prepareCase returns the case that is sent for an input. hints are the rules' findings.
func (o *OpenAI) prepareCase(in analysis.Input, hints analysis.Findings) preparedCase {
	shown := fitting(in, hints.DeckDocumentID, o.options.MaxInput, o.options.Rules.Guard())
	c := modelCase{
		Text: shown.text, Documents: shown.documents, Links: firstLinks(in.Links),
		DeckLink: lexicon.Cut(in.DeckURL, longestLink),
		Wanted:   wanted(in), Stages: []modelStage{},
		Hints: modelHints{
			Name: hints.Name, Founders: hints.Founders, Status: stageName(in, hints.StatusID), Source: hints.Source,
			Deck: documentName(in, hints.DeckDocumentID),
		},
		Corrections: lessons.Examples(in, hints, o.options.Rules.Guard()),
	}
	for i, s := range in.Stages {
		c.Stages = append(c.Stages, modelStage{ID: short("s", i), Name: lexicon.Cut(s.Name, 100), Rank: s.Rank})
	}
	data, err := json.Marshal(c)
	if err != nil {
		data = []byte("{}") // cannot happen: strings and numbers always marshal
	}
	return preparedCase{data: data, schema: schemaFor(c), given: c, remark: shown.remark}
}

func short(letter string, index int) string { return letter + strconv.Itoa(index+1) }

// stageName returns the short name of the stage with this ID, "" if there is none.
func stageName(in analysis.Input, id string) string {
	for i, s := range in.Stages {
		if s.ID == id {
			return short("s", i)
		}
	}
	return ""
}

func documentName(in analysis.Input, id string) string {
	for i, d := range in.Documents {
		if d.ID == id {
			return short("d", i)
		}
	}
	return ""
}

// stageOf returns the ID of the stage with a short name. For the name "", which is no stage, it returns "" and true;
// known is false if there is no such stage.
func stageOf(in analysis.Input, name string) (id string, known bool) {
	for i, s := range in.Stages {
		if short("s", i) == name {
			return s.ID, true
		}
	}
	return "", name == ""
}

func documentOf(in analysis.Input, name string) (analysis.Document, bool) {
	for i, d := range in.Documents {
		if short("d", i) == name {
			return d, true
		}
	}
	return analysis.Document{}, false
}

// request returns the request in one of the forms, such as formSchema. The case is between two lines with a random
// word, so that no text can pretend that the case ends inside it.
func (e preparedCase) request(options OpenAIOptions, form int) openai.ChatCompletionRequest {
	fence := rand.Text()
	system := promptRead
	if form != formSchema {
		system += "\n" + promptShape + "\n" + string(e.schema) + "\n"
	}
	request := openai.ChatCompletionRequest{
		Model: options.Model,
		Messages: []openai.ChatCompletionMessage{
			{Role: openai.ChatMessageRoleSystem, Content: system},
			{Role: openai.ChatMessageRoleUser, Content: "The fence is " + fence + "\n" + fence + "\n" + string(e.data) + "\n" +
				fence},
		},
	}
	switch form {
	case formSchema:
		request.MaxCompletionTokens = options.MaxOutput
		request.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "findings", Strict: true, Schema: e.schema},
		}
	case formObject:
		request.MaxTokens = options.MaxOutput //nolint:staticcheck // servers that know no schema know this name alone
		request.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	default:
		request.MaxTokens = options.MaxOutput //nolint:staticcheck // as above
	}
	return request
}

func firstLinks(links []string) []string {
	short := make([]string, 0, min(len(links), mostLinks))
	for _, l := range links[:min(len(links), mostLinks)] {
		short = append(short, lexicon.Cut(l, longestLink))
	}
	return short
}

func wanted(in analysis.Input) []string {
	list := []string{}
	if in.DetectStatus {
		list = append(list, analysis.FieldStatus)
	}
	if in.DetectSource {
		list = append(list, analysis.FieldSource)
	}
	if in.PickDeck {
		list = append(list, analysis.FieldDeck)
	}
	return list
}

// schemaFor returns the JSON schema of the answer, with the stages, sources and documents that it may name.
func schemaFor(c modelCase) json.RawMessage {
	text, number := map[string]any{"type": "string"}, map[string]any{"type": "number"}
	stages, documents := []string{""}, []string{""}
	for _, s := range c.Stages {
		stages = append(stages, s.ID)
	}
	for _, d := range c.Documents {
		documents = append(documents, d.ID)
	}
	basis := func(value map[string]any, members ...string) map[string]any {
		all := map[string]any{
			"quote": text, "document": choice(documents), "page": map[string]any{"type": "integer"}, "confidence": number,
		}
		for _, name := range members {
			all[name] = text
		}
		if value != nil {
			all["value"], all["reasoning"] = value, text
		}
		return object(all)
	}
	person := basis(nil, "name", "email", "phone", "title", "background", "linkedin_profile")
	schema := object(map[string]any{
		"name": basis(text), "founders": map[string]any{"type": "array", "items": person}, "summary": basis(text),
		"status": basis(choice(stages)), "source": basis(choice(append([]string{""}, source.Sources()...))),
		"deck": basis(choice(documents)),
	})
	data, err := json.Marshal(schema)
	if err != nil {
		return json.RawMessage(`{"type":"object"}`) // cannot happen: maps and strings always marshal
	}
	return data
}

// object returns the schema of an object in the form that strict servers require: every member required, no other
// allowed.
func object(members map[string]any) map[string]any {
	return map[string]any{
		"type": "object", "properties": members, "required": sortedNames(members), "additionalProperties": false,
	}
}

func choice(values []string) map[string]any {
	return map[string]any{"type": "string", "enum": values}
}
