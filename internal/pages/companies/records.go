package companies

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"dealflow/internal/email"
	"dealflow/internal/fault"
	"dealflow/internal/form"
	"dealflow/internal/meeting"
	"dealflow/internal/pages/frame"
)

// submitted is a form submission with its answers in their order.
type submitted struct {
	form.Submission

	Answers []answer
}

// answer is one answer of a submission, as text.
type answer struct{ Label, Value string }

// answersOf returns the answers of a form submission that are not empty.
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

// letter is the page of one email about a company.
type letter struct {
	email.View

	Back string // the company's page
	URL  string
	Name string // of the company
}

// emailOf returns the email of the path. The error is NotFound if it is not linked to the company of the path.
func (p *pages) emailOf(r *http.Request, s *frame.Scene) (letter, error) {
	view, err := p.visibleCompany(r, s)
	if err != nil {
		return letter{}, err
	}
	id, err := frame.PathID(r, "email")
	if err != nil {
		return letter{}, err
	}
	mail, err := p.deps.Emails.Get(r.Context(), s.Who, s.Account.ID, id)
	if err != nil {
		return letter{}, err
	}
	if !slices.Contains(mail.CompanyIDs, view.ID) {
		return letter{}, frame.NotFound()
	}
	back := s.Base() + "/companies/" + view.ID.String()
	return letter{View: mail, Back: back, URL: back + "/emails/" + id.String(), Name: view.Name}, nil
}

// emailPage shows an email and its files.
func (p *pages) emailPage(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	mail, err := p.emailOf(r, s)
	if err != nil {
		return err
	}
	return p.frame.Show(w, http.StatusOK, "email", s.Page("Email", "companies", mail))
}

// emailFile redirects to a signed address of a file of an email, which is valid for downloadExpiry. The error is
// NotFound if the email has no such file.
func (p *pages) emailFile(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	mail, err := p.emailOf(r, s)
	if err != nil {
		return err
	}
	id, err := frame.PathID(r, "file")
	if err != nil {
		return err
	}
	for _, file := range mail.Attachments {
		if file.ID == id {
			until := p.deps.Now().Add(downloadExpiry)
			return frame.Redirect(w, r, p.deps.Signer.URL(file.StoragePath, file.Filename, until))
		}
	}
	return frame.NotFound()
}

// writeMinutes adds the minutes of a meeting about the company.
func (p *pages) writeMinutes(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	view, sent, err := p.sent(w, r, s)
	if err != nil {
		return err
	}
	draft := meeting.Draft{Title: sent.Get("title"), Content: new(sent.Get("content")), CompanyID: &view.ID}
	if date := sent.Get("date"); date != "" {
		day, err := time.Parse(time.DateOnly, date)
		if err != nil {
			return fault.Field("date", "must be a date such as 2026-11-30")
		}
		draft.MeetingDate = &day
	}
	if _, err := p.deps.Meetings.Create(r.Context(), s.Caller.UserID, s.Account.ID, draft); err != nil {
		return err
	}
	return back(w, r, s, view.ID, sent)
}
