package companies

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/company/merge"
	"dealflow/internal/fault"
	"dealflow/internal/pages/formpage"
	"dealflow/internal/pages/frame"
	"dealflow/internal/pages/render"
	"dealflow/internal/postgres/paging"
)

// The number of companies that a search for the other company shows, and of merges that the page of a company shows.
const (
	candidatesSize = 10
	mergesSize     = 10
)

// merging has the data of the page on which another company is merged into this one. At first it has a search for the
// other company; once that is chosen, it has the differences.
type merging struct {
	formpage.Outcome

	URL       string // of the company
	Name      string
	Query     string
	Found     []Card
	OtherID   string // "" until one is chosen
	OtherName string
	Conflicts []conflict
	Moves     string
}

// conflict is a field in which the two companies of a merge differ, with its values as the page shows them.
type conflict struct {
	Field, Label string
	Sides        []side
}

// side is one of the values that a field may have after the merge.
type side struct {
	Value, Label, Text string
	Chosen             bool
}

// merged is a merge as the company's page shows it.
type merged struct {
	merge.Merge

	Undoable bool // it is the last merge that was not undone
	Left     []merge.Kept
}

func (p *pages) mergePage(w http.ResponseWriter, r *http.Request, s *frame.Scene, o formpage.Outcome) error {
	view, err := p.visibleCompany(r, s)
	if err != nil {
		return err
	}
	model := merging{
		Outcome: o, URL: s.Base() + "/companies/" + view.ID.String(), Name: view.Name, Query: firstWord(view.Name),
	}
	query := r.URL.Query()
	if query.Has("search") {
		model.Query = query.Get("search")
	}
	with := query.Get("with")
	if with == "" {
		with = o.Sent.Get("other")
	}
	if other, err := uuid.Parse(with); err == nil {
		if err := p.preview(r, s, view.ID, other, &model); err != nil {
			return err
		}
	}
	if model.OtherID == "" {
		if err := p.findOthers(r, s, view.ID, &model); err != nil {
			return err
		}
	}
	return p.frame.Show(w, model.Status(), "merge", s.Page("Merge "+view.Name, "companies", model))
}

// preview adds to m what merging the company other into the company id would do. If the merge is refused for a reason
// that people can correct, preview adds only the reason, and returns nil.
func (p *pages) preview(r *http.Request, s *frame.Scene, id, other uuid.UUID, m *merging) error {
	wanted := merge.Request{IntoID: id, Keep: keepOf(m.Sent)}
	found, err := p.deps.Merges.Preview(r.Context(), s.Caller.UserID, other, wanted)
	if wrong, mendable := frame.Sentence(err); mendable {
		m.Refuse(wrong, s.Failed(err))
		return nil
	}
	if err != nil {
		return err
	}
	m.OtherID, m.OtherName, m.Moves = other.String(), found.Merged.Name, listed(found.Moves)
	for _, c := range found.Conflicts {
		if c.Field != "metadata.analyzed_at" { // nobody chooses between two times
			m.Conflicts = append(m.Conflicts, conflictOf(c, found))
		}
	}
	return nil
}

func (p *pages) findOthers(r *http.Request, s *frame.Scene, id uuid.UUID, m *merging) error {
	found, _, err := ListCards(r.Context(), s, p.deps.Companies, company.ListQuery{
		Page: paging.First(candidatesSize), AccountID: &s.Account.ID, Search: &m.Query,
	})
	m.Found = slices.DeleteFunc(found, func(one Card) bool { return one.ID == id.String() })
	return err
}

// listed returns the numbers of records that a merge moves, for people: "2 files, 1 email, the history".
func listed(moves merge.Moves) string {
	var parts []string
	for _, kind := range []struct {
		count     int
		one, many string
	}{
		{moves.Files, "file", "files"},
		{moves.Minutes, "meeting’s minutes", "meetings’ minutes"},
		{moves.Submissions, "submission", "submissions"},
		{moves.Emails, "email", "emails"},
		{moves.Links, "shared link", "shared links"},
	} {
		if kind.count == 1 {
			parts = append(parts, "1 "+kind.one)
		} else if kind.count > 1 {
			parts = append(parts, render.Grouped(kind.count)+" "+kind.many)
		}
	}
	return strings.Join(append(parts, "the history"), ", ")
}

// firstWord returns the first word of a company's name, by which the page first searches for companies of a similar
// name.
func firstWord(name string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(name), " ")
	return word
}

func conflictOf(c merge.Conflict, found merge.Preview) conflict {
	label := map[string]string{
		"company_status_id": "Status", "source_content": "Original message", "metadata.ai_analysis": "Summary",
	}[c.Field]
	if label == "" {
		label = frame.Capitalized(strings.ReplaceAll(strings.TrimPrefix(c.Field, "metadata."), "_", " "))
	}
	shown := conflict{Field: c.Field, Label: label}
	names := map[string]string{
		merge.Into: found.Into.Name + ", this one", merge.Merged: found.Merged.Name + ", the other one", merge.Both: "Both",
	}
	for _, choice := range c.Choices {
		one := side{Value: choice, Label: names[choice], Chosen: choice == c.Keep}
		switch choice {
		case merge.Into:
			one.Text = readable(c.Field, c.Into, found.Into)
		case merge.Merged:
			one.Text = readable(c.Field, c.Merged, found.Merged)
		}
		shown.Sides = append(shown.Sides, one)
	}
	return shown
}

// readable returns the JSON value of a company's field as text of at most 200 characters. For a status it returns the
// name, or "No status", and for invalid JSON "".
func readable(field string, raw json.RawMessage, of company.View) string {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return ""
	}
	if field == "company_status_id" {
		if of.Status == nil {
			return "No status"
		}
		return of.Status.Name
	}
	return render.Excerpt(textOf(value), 200)
}

// textOf returns a decoded JSON value as text: a string unchanged, "" for null, the texts of the elements of a list
// with commas between, and for an object its name, field or email, followed by its member "value" if that is a string.
// For anything else it returns the JSON.
func textOf(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	case []any:
		var parts []string
		for _, element := range value {
			parts = append(parts, textOf(element))
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		for _, name := range []string{"name", "field", "email"} {
			if text, is := value[name].(string); is && text != "" {
				if more, has := value["value"].(string); has {
					text += ": " + more
				}
				return text
			}
		}
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(encoded)
}

// keepOf returns, by the name of the field, which value a merge keeps. A form has this choice under "keep." followed by
// the name.
func keepOf(form url.Values) map[string]string {
	keep := map[string]string{}
	for name := range form {
		if field, is := strings.CutPrefix(name, "keep."); is {
			keep[field] = form.Get(name)
		}
	}
	return keep
}

func (p *pages) mergeCompanies(r *http.Request, s *frame.Scene, form url.Values) (any, error) {
	view, err := p.visibleCompany(r, s)
	if err != nil {
		return nil, err
	}
	other, err := uuid.Parse(form.Get("other"))
	if err != nil {
		return nil, frame.NotFound()
	}
	wanted := merge.Request{IntoID: view.ID, Keep: keepOf(form)}
	done, err := p.deps.Merges.Merge(r.Context(), s.Caller.UserID, other, wanted)
	if err != nil {
		return nil, err
	}
	return formpage.Elsewhere(afterMerge(s, done.Merge)), nil
}

// unmerge undoes the merge of the company of the path into another one, and redirects to that one's page. If the
// visitor sees the company of the path, there is nothing to undo, and unmerge only redirects to its page. The error is
// that of visibleCompany, for either company, or of merge.Service.Undo.
func (p *pages) unmerge(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	view, gone := p.visibleCompany(r, s)
	if gone == nil {
		return frame.Redirect(w, r, s.Base()+"/companies/"+view.ID.String())
	}
	survivor, err := uuid.Parse(fault.SuccessorOf(gone))
	if err != nil { // it was not merged
		return gone
	}
	if _, err := p.companyOf(r.Context(), s, survivor); err != nil {
		return err
	}
	id, err := frame.PathID(r, "company")
	if err != nil {
		return err
	}
	done, err := p.deps.Merges.Undo(r.Context(), s.Caller.UserID, id)
	if err != nil {
		return err
	}
	return frame.Redirect(w, r, afterMerge(s, done.Merge))
}

// afterMerge returns the address of the surviving company's page with a query that makes it show a message about the
// merge, which was done or undone.
func afterMerge(s *frame.Scene, m merge.Merge) string {
	return s.Base() + "/companies/" + m.CompanyID.String() + "?merged=" + m.ID.String()
}

// mergesOf returns up to mergesSize merges into a company, undone ones too, the latest first.
func (p *pages) mergesOf(r *http.Request, s *frame.Scene, id uuid.UUID) ([]merged, error) {
	found, _, err := p.deps.Merges.List(r.Context(), s.Who, id, paging.First(mergesSize))
	if err != nil {
		return nil, err
	}
	all, last := make([]merged, len(found)), true
	for i, m := range found {
		all[i] = merged{Merge: m, Undoable: last && m.UndoneAt == nil}
		last = last && m.UndoneAt != nil
		if err := json.Unmarshal(m.Kept, &all[i].Left); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// followMerge redirects to the company into which another one was merged, if err names it; else it returns err.
func followMerge(w http.ResponseWriter, r *http.Request, s *frame.Scene, err error) error {
	into := fault.SuccessorOf(err)
	if into == "" {
		return err
	}
	to := s.Base() + "/companies/" + url.PathEscape(into)
	return frame.Redirect(w, r, to)
}
