package pages

import (
	"context"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
)

// mostTargets is how many other stages a form offers to move companies to, the first: each row has such a form.
const mostTargets = 100

// statusList is the page of the stages of an account's pipeline.
type statusList struct {
	outcome

	Tabs     tabs
	Statuses []stageRow
	Default  string // color of a new one
}

// stageRow is a stage with where it can be put.
type stageRow struct {
	pipeline.Status
	place

	Others []pipeline.Status // that its companies can be moved to
}

// place says where a thing in an order can be put by a step.
type place struct {
	IsFirst, IsLast bool
	Above, Below    string // the id of the thing to put it before, one step up or down; "" is the end
}

// placesOf returns the places of things in an order.
func placesOf[T any](things []T, id func(T) uuid.UUID) []place {
	places := make([]place, len(things))
	for i := range things {
		places[i] = place{IsFirst: i == 0, IsLast: i == len(things)-1}
		if i > 0 {
			places[i].Above = id(things[i-1]).String()
		}
		if i+2 < len(things) {
			places[i].Below = id(things[i+2]).String()
		}
	}
	return places
}

func (p *Pages) statusRoutes() {
	d := p.newDesk(p.member, teamPath+"/statuses", p.statusesPage)
	d.form("/add", "The status is added.", p.addStatus)
	d.form("/{status}/change", "The status is changed.", p.changeStatus)
	d.form("/{status}/place", "The order is changed.", placing(p.deps.Pipelines.Place, "status"))
	d.form("/{status}/delete", "The status is deleted.", p.deleteStatus)
}

func (p *Pages) statusesPage(w http.ResponseWriter, r *http.Request, s *scene, o outcome) error {
	stages, _, err := p.deps.Pipelines.List(r.Context(), s.Who, s.account.ID, postgres.FirstPage(pipeline.Most))
	if err != nil {
		return err
	}
	model := statusList{outcome: o, Tabs: teamTabs(s, "/statuses"), Default: pipeline.DefaultColor}
	places := placesOf(stages, func(one pipeline.Status) uuid.UUID { return one.ID })
	for i, one := range stages {
		others := stages[:min(len(stages), mostTargets)]
		model.Statuses = append(model.Statuses, stageRow{Status: one, place: places[i], Others: others})
	}
	return p.show(w, o.Status(), "statuses", s.frame("Statuses", "team", model))
}

func (p *Pages) addStatus(r *http.Request, s *scene, form url.Values) (any, error) {
	in := pipeline.NewStatus{Name: form.Get("name"), Color: given(form, "color"), Description: given(form, "description")}
	_, err := p.deps.Pipelines.Create(r.Context(), s.Caller.UserID, s.account.ID, in)
	return nil, err
}

func (p *Pages) changeStatus(r *http.Request, s *scene, form url.Values) (any, error) {
	id, err := pathID(r, "status")
	if err != nil {
		return nil, err
	}
	in := pipeline.StatusChange{
		Name: new(form.Get("name")), Color: given(form, "color"), Description: new(given(form, "description")),
		IsDefault: new(form.Has("is_default")),
	}
	_, err = p.deps.Pipelines.Change(r.Context(), s.Caller.UserID, s.account.ID, id, in)
	return nil, err
}

func (p *Pages) deleteStatus(r *http.Request, s *scene, form url.Values) (any, error) {
	id, err := pathID(r, "status")
	if err != nil {
		return nil, err
	}
	to, err := idOf(form, "move_to")
	if err != nil {
		return nil, err
	}
	return nil, p.deps.Pipelines.Delete(r.Context(), s.Caller.UserID, s.account.ID, id, to)
}

// placer puts a thing of an account before another, or last.
type placer func(ctx context.Context, user, accountID, id uuid.UUID, before *uuid.UUID) error

// placing is the deed of a form that puts the thing that is called so in the path.
func placing(put placer, name string) deed {
	return func(r *http.Request, s *scene, form url.Values) (any, error) {
		id, err := pathID(r, name)
		if err != nil {
			return nil, err
		}
		before, err := idOf(form, "before")
		if err != nil {
			return nil, err
		}
		return nil, put(r.Context(), s.Caller.UserID, s.account.ID, id, before)
	}
}

// given returns a text of a form; nil where it is empty.
func given(form url.Values, name string) *string {
	if form.Get(name) == "" {
		return nil
	}
	return new(form.Get(name))
}
