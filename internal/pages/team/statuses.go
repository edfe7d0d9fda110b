package team

import (
	"context"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"dealflow/internal/pages/formpage"
	"dealflow/internal/pages/frame"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres/paging"
)

// mostTargets is how many statuses the form that deletes a status offers as the new status of its companies: the first
// ones in the order of the account. It limits the size of the page, on which each status has such a form.
const mostTargets = 100

// statusList has the data of the page of the statuses of an account.
type statusList struct {
	formpage.Outcome

	Tabs     formpage.Tabs
	Statuses []stageRow
	Default  string // the color of a new stage
}

// stageRow is a status with the positions to which it can be moved.
type stageRow struct {
	pipeline.Status
	moves

	Others []pipeline.Status // that its companies can be moved to; the page leaves out the stage itself
}

// moves has the position of an item in an ordered list, and the items before which it is put when it is moved by one
// step.
type moves struct {
	IsFirst, IsLast bool
	Above, Below    string // the item before which it must be put to move up, or down; "": the end
}

// movesOf returns the moves of each item of an ordered list.
func movesOf[T any](things []T, id func(T) uuid.UUID) []moves {
	all := make([]moves, len(things))
	for i := range things {
		all[i] = moves{IsFirst: i == 0, IsLast: i == len(things)-1}
		if i > 0 {
			all[i].Above = id(things[i-1]).String()
		}
		if i+2 < len(things) {
			all[i].Below = id(things[i+2]).String()
		}
	}
	return all
}

func (p *pages) statusRoutes() {
	d := p.forms.Add(p.frame.Member, teamPath+"/statuses", p.statusesPage)
	d.Form("/add", "The status is added.", p.addStatus)
	d.Form("/{status}/change", "The status is changed.", formpage.WithID("status", p.changeStatus))
	d.Form("/{status}/place", "The order is changed.", formpage.WithID("status", moving(p.deps.Pipelines.MoveBefore)))
	d.Form("/{status}/delete", "The status is deleted.", formpage.WithID("status", p.deleteStatus))
}

func (p *pages) statusesPage(w http.ResponseWriter, r *http.Request, s *frame.Scene, o formpage.Outcome) error {
	stages, _, err := p.deps.Pipelines.List(r.Context(), s.Who, s.Account.ID, paging.First(pipeline.Most))
	if err != nil {
		return err
	}
	model := statusList{Outcome: o, Tabs: teamTabs(s, "/statuses"), Default: pipeline.DefaultColor}
	moves := movesOf(stages, func(one pipeline.Status) uuid.UUID { return one.ID })
	for i, one := range stages {
		others := stages[:min(len(stages), mostTargets)]
		model.Statuses = append(model.Statuses, stageRow{Status: one, moves: moves[i], Others: others})
	}
	return p.frame.Show(w, o.Status(), "statuses", s.Page("Statuses", "team", model))
}

func (p *pages) addStatus(r *http.Request, s *frame.Scene, form url.Values) (any, error) {
	in := pipeline.NewStatus{
		Name: form.Get("name"), Color: frame.Given(form, "color"), Description: frame.Given(form, "description"),
	}
	_, err := p.deps.Pipelines.Create(r.Context(), s.Caller.UserID, s.Account.ID, in)
	return nil, err
}

func (p *pages) changeStatus(r *http.Request, s *frame.Scene, id uuid.UUID, form url.Values) (any, error) {
	in := pipeline.StatusChange{
		Name: new(form.Get("name")), Color: frame.Given(form, "color"), Description: new(frame.Given(form, "description")),
		IsDefault: new(form.Has("is_default")),
	}
	_, err := p.deps.Pipelines.Change(r.Context(), s.Caller.UserID, s.Account.ID, id, in)
	return nil, err
}

func (p *pages) deleteStatus(r *http.Request, s *frame.Scene, id uuid.UUID, form url.Values) (any, error) {
	to, err := idOf(form, "move_to")
	if err != nil {
		return nil, err
	}
	return nil, p.deps.Pipelines.Delete(r.Context(), s.Caller.UserID, s.Account.ID, id, to)
}

// mover moves an item of an account before another item, or to the end if before is nil.
type mover func(ctx context.Context, user, accountID, id uuid.UUID, before *uuid.UUID) error

// moving returns a function for formpage.WithID that moves an item before the item whose id the form has under
// "before", or to the end if it has none. The error is NotFound for a text that is not an id.
func moving(put mover) func(*http.Request, *frame.Scene, uuid.UUID, url.Values) (any, error) {
	return func(r *http.Request, s *frame.Scene, id uuid.UUID, form url.Values) (any, error) {
		before, err := idOf(form, "before")
		if err != nil {
			return nil, err
		}
		return nil, put(r.Context(), s.Caller.UserID, s.Account.ID, id, before)
	}
}
