package pages

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"dealflow/internal/analysis"
	"dealflow/internal/company/upload"
)

// RepeatedField is between the values of a field that a page's form has several times.
const RepeatedField = "\x1f"

// Creation is a form of a page that creates a company.
type Creation struct {
	AccountID uuid.UUID
	Fields    []string                       // that the form has beside those of an AI creation
	Prepare   func(fields map[string]string) // makes fields of an AI creation of them
}

// draftPage is the page on which a company is added: empty, or with what a dry run found.
type draftPage struct {
	AccountID  string
	Text       string
	Looked     bool // Found is what a dry run found
	Found      fields
	Findings   []finding
	Stretches  []stretch
	Files      []string // that were sent for the dry run, which kept none
	WasFounder string   // the founders as they were found, as JSON
	Reasoning  string
	Unfinished bool
	MaxFiles   int
}

// examplePitch is what a new team can try.
//
//go:embed example.txt
var examplePitch string

func (p *Pages) addPage(w http.ResponseWriter, r *http.Request, s *scene) error {
	text := ""
	if r.URL.Query().Has("example") {
		text = examplePitch
	}
	return p.show(w, http.StatusOK, "add", s.frame("Add a company", "add", emptyDraft(s, text)))
}

// emptyDraft is a form on which a company is added, with the text that it begins with.
func emptyDraft(s *scene, text string) draftPage {
	return draftPage{AccountID: s.account.ID.String(), Text: text, MaxFiles: upload.MaxFiles}
}

// add creates a company, or shows what an analysis finds where the form asks for a dry run.
func (p *Pages) add(w http.ResponseWriter, r *http.Request, s *scene) error {
	var sent map[string]string
	made, err := s.Take(Creation{
		AccountID: s.account.ID, Fields: correctedFields(), Prepare: func(fields map[string]string) {
			keepCorrected(fields)
			sent = fields
		},
	})
	if err != nil {
		return err
	}
	if made.Company.ID != uuid.Nil {
		//nolint:gosec // G710: a path of ours, made of ids
		http.Redirect(w, r, s.base()+"/companies/"+made.Company.ID.String(), http.StatusSeeOther)
		return nil
	}
	stages, err := p.stages(r.Context(), s)
	if err != nil {
		return err
	}
	found := fieldsOf(s, made.Company, stages)
	founders, err := json.Marshal(found.Founders)
	if err != nil {
		return err
	}
	model := draftPage{
		AccountID: s.account.ID.String(), Text: sent["text"], Looked: true, Found: found,
		Findings:  found.findings(made.Analysis),
		Stretches: mark(sent["text"], made.Analysis.Evidence), WasFounder: string(founders),
		Reasoning:  made.Analysis.AIReasoning,
		Unfinished: made.Analysis.ProcessedAt == nil, MaxFiles: upload.MaxFiles,
	}
	for i := range model.Findings {
		if model.Findings[i].Where != "" {
			model.Findings[i].Link = "" // no file is kept that a page could be shown of
		}
	}
	return p.show(w, http.StatusOK, "add", s.frame("What was found", "add", model))
}

// correctedFields are what people may correct of a dry run, with what was found of each.
func correctedFields() []string {
	names := []string{"summary"}
	for _, part := range []string{"name", "title", "email", "phone", "linkedin", "background"} {
		names = append(names, "founder_"+part)
	}
	for _, found := range []string{"name", "source", "company_status_id", "summary", "founders"} {
		names = append(names, "was_"+found)
	}
	return names
}

// keepCorrected leaves those fields that say something else than what was found: what an analysis finds again it
// proves by its quotes. Browsers send what is empty too.
func keepCorrected(fields map[string]string) {
	for _, name := range []string{"name", "source", "company_status_id", "notes", "visibility"} {
		if value := fields[name]; value == "" || value == noStatus || value == fields["was_"+name] {
			delete(fields, name)
		}
	}
	members := map[string]any{}
	if summary := fields["summary"]; summary != "" && summary != fields["was_summary"] {
		members["ai_analysis"] = summary
	}
	var found []analysis.Founder
	_ = json.Unmarshal([]byte(fields["was_founders"]), &found) // none where there was no dry run
	if _, sent := fields["founder_name"]; sent {
		if founders := foundersOf(repeated(fields)); !slices.Equal(founders, found) {
			members["founders"] = founders
		}
	}
	if len(members) > 0 {
		encoded, _ := json.Marshal(members) // texts alone
		fields["metadata"] = string(encoded)
	}
}

func repeated(fields map[string]string) url.Values {
	values := url.Values{}
	for name, sent := range fields {
		values[name] = strings.Split(sent, RepeatedField)
	}
	return values
}
