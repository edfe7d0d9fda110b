package analysis

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sashabaranov/go-openai"
)

// modelCase is what the model is shown: data, all of it.
type modelCase struct {
	Text      string          `json:"text"`
	Documents []modelDocument `json:"documents"`
	Links     []string        `json:"links"`
	DeckLink  string          `json:"deck_link"`
	Stages    []modelStage    `json:"stages"`
	Wanted    []string        `json:"wanted"`
	Hints     modelHints      `json:"hints"`
}

type modelDocument struct {
	ID       string   `json:"id"`
	FileName string   `json:"file_name"`
	Title    string   `json:"title"`
	Count    int      `json:"page_count"`
	Pages    []string `json:"pages"`
}

type modelStage struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Rank int    `json:"rank"`
}

type modelHints struct {
	Name     string    `json:"name"`
	Founders []Founder `json:"founders"`
	StatusID string    `json:"status_id"`
	Source   string    `json:"source"`
	Deck     string    `json:"deck_document_id"`
}

// request puts the case between two lines with a word that nobody outside can know, so that no text can close the fence.
func (o *OpenAI) request(in Input, hints Findings) (openai.ChatCompletionRequest, error) {
	data, err := json.Marshal(o.caseOf(in, hints))
	if err != nil {
		return openai.ChatCompletionRequest{}, fmt.Errorf("write the case for the model: %w", err)
	}
	fence := rand.Text()
	return openai.ChatCompletionRequest{
		Model: o.options.Model,
		Messages: []openai.ChatCompletionMessage{
			{Role: openai.ChatMessageRoleSystem, Content: prompt},
			{Role: openai.ChatMessageRoleUser, Content: "The fence is " + fence + "\n" + fence + "\n" + string(data) + "\n" + fence},
		},
		MaxCompletionTokens: o.options.MaxOutput,
		ResponseFormat: &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "findings", Strict: true, Schema: schemaFor(in)},
		},
	}, nil
}

// caseOf keeps within the size that may be sent: the text gets up to half, the documents share the rest by pages.
func (o *OpenAI) caseOf(in Input, hints Findings) modelCase {
	c := modelCase{
		Text: cut(in.Text, o.options.MaxInput/2), Links: firstLinks(in.Links), DeckLink: cut(in.DeckURL, longestLink), Documents: []modelDocument{}, Stages: []modelStage{}, Wanted: wanted(in),
		Hints: modelHints{Name: hints.Name, Founders: hints.Founders, StatusID: hints.StatusID, Source: hints.Source, Deck: hints.DeckDocumentID},
	}
	for _, s := range in.Stages {
		c.Stages = append(c.Stages, modelStage{ID: s.ID, Name: s.Name, Rank: s.Rank})
	}
	left := o.options.MaxInput - utf8.RuneCountInString(c.Text)
	for i, d := range in.Documents {
		share := left / (len(in.Documents) - i)
		doc := modelDocument{ID: d.ID, FileName: cut(d.FileName, 200), Title: cut(d.Title, 200), Count: len(d.Pages), Pages: []string{}}
		for _, page := range d.Pages {
			if share <= 0 {
				break
			}
			page = cut(strings.TrimSpace(page), min(share, longestPage))
			doc.Pages = append(doc.Pages, page)
			share -= utf8.RuneCountInString(page)
			left -= utf8.RuneCountInString(page)
		}
		c.Documents = append(c.Documents, doc)
	}
	return c
}

const (
	longestPage = 4000
	longestLink = 300
	mostLinks   = 40
)

func firstLinks(links []string) []string {
	short := make([]string, 0, min(len(links), mostLinks))
	for _, l := range links[:min(len(links), mostLinks)] {
		short = append(short, cut(l, longestLink))
	}
	return short
}

// cut shortens to a number of characters and marks that it did.
func cut(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:max(0, most-1)]) + "…"
}

func wanted(in Input) []string {
	list := []string{}
	if in.DetectStatus {
		list = append(list, "status")
	}
	if in.DetectSource {
		list = append(list, "source")
	}
	if in.PickDeck {
		list = append(list, "deck")
	}
	return list
}

// schemaFor gives the shape of the answer, with the stages, sources and documents that may be named in it.
func schemaFor(in Input) json.RawMessage {
	text := map[string]any{"type": "string"}
	stages, documents := []string{""}, []string{""}
	for _, s := range in.Stages {
		stages = append(stages, s.ID)
	}
	for _, d := range in.Documents {
		documents = append(documents, d.ID)
	}
	person := object(map[string]any{"name": text, "email": text, "phone": text, "title": text, "background": text, "linkedin_profile": text})
	schema := object(map[string]any{
		"name": text, "founders": map[string]any{"type": "array", "items": person}, "summary": text,
		"status_id": choice(stages), "status_quote": text, "status_reasoning": text,
		"source": choice(append([]string{""}, sources()...)), "source_quote": text, "source_reasoning": text,
		"deck_document_id": choice(documents), "deck_reasoning": text,
	})
	data, err := json.Marshal(schema)
	if err != nil {
		return json.RawMessage(`{"type":"object"}`) // cannot be: maps and strings always marshal
	}
	return data
}

// object makes a schema that strict servers take: every member required, no other allowed.
func object(members map[string]any) map[string]any {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	return map[string]any{"type": "object", "properties": members, "required": names, "additionalProperties": false}
}

func choice(values []string) map[string]any {
	return map[string]any{"type": "string", "enum": values}
}

func sources() []string {
	return []string{sourceManual, sourceEmail, sourceForm, sourceReferral, sourceWebsite, sourceEvent, sourceOther}
}
