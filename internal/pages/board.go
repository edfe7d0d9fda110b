package pages

import (
	"context"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/dashboard"
	"dealflow/internal/postgres"
)

// columnSize is how many cards of a column a page shows; the rest is behind a link to the table.
const columnSize = 40

// board is a pipeline with its companies, a column for each stage.
type board struct {
	Search  string
	Columns []column
}

// column is a stage with its newest companies.
type column struct {
	ID    string // of the stage; "no_status" for the companies without one
	Name  string
	Color string
	Count int // of all its companies; -1 where a search makes it unknown
	Cards []card
	More  string // where the rest is; "" where there is none
}

// home leads to the board of the account that was joined first.
func (p *Pages) home(w http.ResponseWriter, r *http.Request, s *scene) error {
	if len(s.accounts) == 0 {
		return p.show(w, http.StatusOK, "notice", s.frame("No team", "", notice{
			"You are in no team yet", "Ask somebody of your team to invite the address that you signed in with.",
		}))
	}
	s.account = s.accounts[0]
	http.Redirect(w, r, s.base()+"/board", http.StatusSeeOther) //nolint:gosec // G710: a path of ours, made of ids
	return nil
}

func (p *Pages) boardPage(w http.ResponseWriter, r *http.Request, s *scene) error {
	search := r.URL.Query().Get("search")
	found, err := p.deps.Dashboards.Get(r.Context(), s.Who, s.account.ID, dashboard.MinDays, p.deps.Now())
	if err != nil {
		return err
	}
	model := board{Search: search}
	for _, stage := range noStatusFirst(found.Pipeline) {
		one, err := p.column(r.Context(), s, stage, search)
		if err != nil {
			return err
		}
		model.Columns = append(model.Columns, one)
	}
	return p.show(w, http.StatusOK, "board", s.frame("Board", "board", model))
}

// noStatusFirst returns the stages with that of the companies without a status, which comes last, as the first.
func noStatusFirst(stages []dashboard.Stage) []dashboard.Stage {
	last := len(stages) - 1
	return append([]dashboard.Stage{stages[last]}, stages[:last]...)
}

// noStatus is what stands for "without a status" where the id of one is expected.
const noStatus = "no_status"

func (p *Pages) column(ctx context.Context, s *scene, stage dashboard.Stage, search string) (column, error) {
	q := company.ListQuery{
		Page: postgres.FirstPage(columnSize), AccountID: &s.account.ID, Sort: company.SortUpdated, StatusID: stage.ID,
		NoStatus: stage.ID == nil,
	}
	one := column{ID: noStatus, Name: "No status", Color: stage.Color, Count: stage.Count}
	if stage.ID != nil {
		one.ID, one.Name = stage.ID.String(), stage.Name
	}
	if search != "" {
		q.Search, one.Count = &search, -1
	} else if stage.Count == 0 {
		return one, nil
	}
	views, next, err := p.deps.Companies.List(ctx, s.Who, q)
	if err != nil {
		return column{}, err
	}
	one.Cards = cardsOf(s, views)
	if next != nil {
		query := url.Values{"status": {one.ID}}
		if search != "" {
			query.Set("search", search)
		}
		one.More = s.base() + "/companies?" + query.Encode()
	}
	return one, nil
}

// moveCompany gives a company another status, for browsers without scripts.
func (p *Pages) moveCompany(w http.ResponseWriter, r *http.Request, s *scene) error {
	form, err := formOf(w, r)
	if err != nil {
		return err
	}
	id, err := pathID(r, "company")
	if err != nil {
		return err
	}
	change := company.Change{StatusID: company.Nullable[uuid.UUID]{Set: true}}
	if sent := form.Get("status"); sent != noStatus {
		stage, err := uuid.Parse(sent)
		if err != nil {
			return notFound()
		}
		change.StatusID.Value = &stage
	}
	if _, err := p.deps.Companies.Update(r.Context(), s.Who, id, change); err != nil {
		return err
	}
	back := s.base() + "/board"
	if form.Get("back") == "company" {
		back = s.base() + "/companies/" + id.String()
	}
	http.Redirect(w, r, back, http.StatusSeeOther) //nolint:gosec // G710: a path of ours, made of ids
	return nil
}
