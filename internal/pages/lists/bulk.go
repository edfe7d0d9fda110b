package lists

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/dashboard"
	"dealflow/internal/pages/companies"
	"dealflow/internal/pages/frame"
)

// bulkMost is how many ticked companies one form may change.
const bulkMost = 200

// bulkTime limits how long a change of all companies that match the filters takes, since the visitor waits for it.
// Sending the same form again changes the rest.
const bulkTime = 20 * time.Second

// nobody is the value that a form sends in place of the id of an assignee to remove all assignees.
const nobody = "nobody"

// bulkResult is the result of a change of many companies.
type bulkResult struct {
	company.Many

	Nothing string // why nothing was tried
	Broken  bool   // an error ended the change before the last company
}

// bulkQuestion has the data of the page that asks whether to change all companies that match the filters.
type bulkQuestion struct {
	Count            int      // of the companies
	Status, Assignee string   // as the form has them
	Changes          []string // what is to be changed, as sentences
	Self, Back       string
}

// changeMany changes the status, the assignee or both of the companies that were ticked, or of all that match the
// filters. It requires a confirmation before it changes all. It responds with the table and the result. More than
// bulkMost ticked companies are refused, and so are all if it is not known how many match. A change of all stops after
// bulkTime.
func (p *pages) changeMany(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	form, err := frame.FormOf(w, r)
	if err != nil {
		return err
	}
	change, err := bulkChange(form)
	if err != nil {
		return err
	}
	chosen, err := companies.IDsOf(form["company"])
	if err != nil {
		return err
	}
	all := form.Has("all")
	done := &bulkResult{}
	switch {
	case change.Assignees == nil && !change.StatusID.Set:
		done.Nothing = "Nothing was changed: choose a status or an assignee."
	case all:
		f, found, err := p.matched(r, s)
		switch {
		case err != nil:
			return err
		case f.matching(found) == dashboard.Uncounted:
			done.Nothing = "Nothing was changed: all that match are too many, or limited by days."
		case !form.Has("confirmed"):
			return p.askAboutAll(w, r, s, form, &f, found)
		default:
			end := time.Now().Add(bulkTime)
			done.Many, err = p.companies.ChangeMatching(r.Context(), s.Who, f.listQuery(s.Account.ID, 1), change, end)
			done.failed(s, err)
		}
	case len(*chosen) == 0:
		done.Nothing = "Nothing was changed: select the companies first."
	case len(*chosen) > bulkMost:
		done.Nothing = "Nothing was changed: that is more than can be changed at once."
	default:
		done.Many, err = p.companies.ChangeMany(r.Context(), s.Who, s.Account.ID, *chosen, change)
		done.failed(s, err)
	}
	return p.showTable(w, r, s, done)
}

// failed records the error that ended the change; it does nothing if err is nil. If nothing was changed and people can
// correct the cause, failed sets Nothing to the cause; otherwise it sets Broken.
func (d *bulkResult) failed(s *frame.Scene, err error) {
	if err == nil {
		return
	}
	s.Failed(err)
	if wrong, mendable := frame.Sentence(err); mendable && d.Many == (company.Many{}) {
		d.Nothing = "Nothing was changed: " + wrong
		return
	}
	d.Broken = true
}

// bulkChange parses the change in a form. An empty status or assignee changes nothing; frame.NoStatus clears the
// status, and nobody the assignees. The error is NotFound for any other status or assignee that is not an id.
func bulkChange(form url.Values) (change company.ManyChange, err error) {
	if sent := form.Get("status"); sent != "" {
		if change.StatusID, err = companies.StatusOf(sent); err != nil {
			return change, err
		}
	}
	switch sent := form.Get("assignee"); sent {
	case "":
	case nobody:
		change.Assignees = &[]uuid.UUID{}
	default:
		change.Assignees, err = companies.IDsOf([]string{sent})
	}
	return change, err
}

// matched returns the filters of a request to the table, and the account's statuses with how many companies match.
func (p *pages) matched(r *http.Request, s *frame.Scene) (filters, dashboard.Pipeline, error) {
	f, _, err := p.filtersOf(r.Context(), s, r.URL.Query())
	if err != nil {
		return f, dashboard.Pipeline{}, err
	}
	found, err := p.dashboards.Pipeline(r.Context(), s.Who, s.Account.ID, f.counted())
	return f, found, err
}

// askAboutAll responds with a page that shows how many companies match the filters and what would change, and that
// requires a confirmation. The number must be known. The page names no change to a status or an assignee that the
// account does not have.
func (p *pages) askAboutAll(
	w http.ResponseWriter, r *http.Request, s *frame.Scene, form url.Values, f *filters, found dashboard.Pipeline,
) error {
	team, err := p.frame.Team(r.Context(), s)
	if err != nil {
		return err
	}
	model := bulkQuestion{
		Count: f.matching(found), Status: form.Get("status"), Assignee: form.Get("assignee"), Self: r.URL.RequestURI(),
		Back: f.with(s.Base() + "/companies"),
	}
	for _, stage := range found.Stages {
		if stage.ID != nil && stage.ID.String() == model.Status {
			model.Changes = append(model.Changes, "Their status becomes “"+stage.Name+"”.")
		}
	}
	if model.Status == frame.NoStatus {
		model.Changes = append(model.Changes, "They have no status any more.")
	}
	for _, member := range team {
		if member.UserID.String() == model.Assignee {
			model.Changes = append(model.Changes, "They are assigned to "+member.Name+" alone.")
		}
	}
	if model.Assignee == nobody {
		model.Changes = append(model.Changes, "They are assigned to nobody.")
	}
	return p.frame.Show(w, http.StatusOK, "bulk", s.Page("Change all", "companies", model))
}

// filtersOf returns the filters in a query, or those of the saved view that the query names, and the bar of views of
// the table.
func (p *pages) filtersOf(ctx context.Context, s *frame.Scene, query url.Values) (filters, viewBar, error) {
	f := filtersOf(query)
	bar, err := p.tabs(ctx, s, "companies", query, &f)
	return f, bar, err
}

// matching returns how many companies match the filters. It returns dashboard.Uncounted if the count of some status is
// not known, or if the filters have a first or last day.
func (f *filters) matching(found dashboard.Pipeline) int {
	sum, q := 0, f.listQuery(uuid.Nil, 0)
	for _, stage := range found.Stages {
		isWanted := q.StatusID == nil && !q.NoStatus || q.NoStatus && stage.ID == nil ||
			q.StatusID != nil && stage.ID != nil && *q.StatusID == *stage.ID
		if stage.Count == dashboard.Uncounted || f.From != "" || f.To != "" {
			return dashboard.Uncounted
		}
		if isWanted {
			sum += stage.Count
		}
	}
	return sum
}
