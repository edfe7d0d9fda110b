package companies

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
	"dealflow/internal/pages/frame"
)

// Draft has the data of the page on which a company is added: empty, or the result of a dry run.
type Draft struct {
	AccountID  string
	Text       string
	Looked     bool // a dry run was made, and Found is what it found
	Found      fields
	Findings   []finding
	Stretches  []stretch
	WasFounder string // the founders as they were found, as JSON
	Reasoning  string
	Unfinished bool // the dry run had no result in time
	MaxFiles   int
}

// examplePitch is an example of a text, with which the page that adds a company is filled in on request.
//
//go:embed example.txt
var examplePitch string

func (p *pages) addPage(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	text := ""
	if r.URL.Query().Has("example") {
		text = examplePitch
	}
	return p.frame.Show(w, http.StatusOK, "add", s.Page("Add a company", "add", EmptyDraft(s, text)))
}

// EmptyDraft returns a Draft with text in the field for the text.
func EmptyDraft(s *frame.Scene, text string) Draft {
	return Draft{AccountID: s.Account.ID.String(), Text: text, MaxFiles: upload.MaxFiles}
}

// add creates a company and redirects to its page. If the form requests a dry run, it creates nothing and shows what an
// analysis finds. The errors are those of Visitor.Take and of pipeline.Service.List.
func (p *pages) add(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	var sent map[string]string
	made, err := s.Take(frame.Creation{
		AccountID: s.Account.ID, Fields: correctedFields(), Prepare: func(fields map[string]string) {
			keepCorrected(fields)
			sent = fields
		},
	})
	if err != nil {
		return err
	}
	if made.Company.ID != uuid.Nil {
		return frame.Redirect(w, r, s.Base()+"/companies/"+made.Company.ID.String())
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
	model := Draft{
		AccountID: s.Account.ID.String(), Text: sent["text"], Looked: true, Found: found,
		Findings:  found.findings(made.Analysis),
		Stretches: mark(sent["text"], made.Analysis.Evidence), WasFounder: string(founders),
		Reasoning:  made.Analysis.AIReasoning,
		Unfinished: made.Analysis.ProcessedAt == nil, MaxFiles: upload.MaxFiles,
	}
	for i := range model.Findings {
		if model.Findings[i].Where != "" {
			model.Findings[i].Link = "" // a dry run keeps no file whose page could be shown
		}
	}
	return p.frame.Show(w, http.StatusOK, "add", s.Page("What was found", "add", model))
}

// correctedFields returns the fields of the form of a dry run's result that the form of an AI creation does not have:
// the summary and the founders, which people may correct, and the values that were found ("was_…").
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

// keepCorrected removes name, source, status, notes and visibility from a form if they are empty or frame.NoStatus, or
// have the value that the dry run found: the analysis finds that value again, with its quotes. If the summary was
// changed to another text, or the founders were changed, it sets the field metadata to a JSON object with what was
// changed. A summary that was emptied is ignored.
func keepCorrected(fields map[string]string) {
	for _, name := range []string{"name", "source", "company_status_id", "notes", "visibility"} {
		if value := fields[name]; value == "" || value == frame.NoStatus || value == fields["was_"+name] {
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
		values[name] = strings.Split(sent, frame.RepeatedField)
	}
	return values
}
