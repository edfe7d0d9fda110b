package lists

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"dealflow/internal/pages/frame"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/savedview"
)

// viewBar is the row of tabs of saved views above the board and the table, with the form that saves one.
type viewBar struct {
	Base    string
	Page    string // "board" or "companies"
	All     string // the address without filters
	Other   string // the same filters on the other page
	Query   string // the filters, as the forms send them back
	Tabs    []viewTab
	Chosen  *viewTab
	columns []string // of the table; nil where they were not read
}

// viewTab is a saved view as a tab.
type viewTab struct {
	savedview.View

	URL     string
	Current bool
	Mine    bool // the visitor made it
	Change  bool // the visitor may change it
}

// tabs returns the bar of views of a page, which is "board" or "companies": all views that the visitor sees. If the
// query names a view and has none of the filters of filterNames, tabs sets f to the filters of the view. If the bar
// does not have the view, tabs removes the view from f.
func (p *pages) tabs(ctx context.Context, s *frame.Scene, page string, query url.Values, f *filters) (viewBar, error) {
	found, err := p.everyView(ctx, s)
	if err != nil {
		return viewBar{}, err
	}
	bar := viewBar{Base: s.Base(), Page: page, All: s.Base() + "/" + page}
	for _, view := range found {
		mine := view.CreatedBy == s.Caller.UserID
		bar.Tabs = append(bar.Tabs, viewTab{
			View: view, URL: bar.All + "?view=" + view.ID.String(), Current: view.ID.String() == f.View, Mine: mine,
			Change: mine || s.IsAdmin(),
		})
	}
	for i := range bar.Tabs {
		if bar.Tabs[i].Current {
			bar.Chosen = &bar.Tabs[i]
		}
	}
	if bar.Chosen == nil {
		f.View = ""
	} else if !names(query, filterNames()) {
		f.use(bar.Chosen.View)
	}
	bar.Query = f.encode()
	bar.Other = f.with(s.Base() + "/" + map[string]string{"board": "companies", "companies": "board"}[page])
	return bar, nil
}

// everyView returns all views that the visitor sees, the oldest first. One page has all of them unless colleagues share
// many.
func (p *pages) everyView(ctx context.Context, s *frame.Scene) (views []savedview.View, err error) {
	for page := paging.First(2 * savedview.Most); ; {
		found, next, err := p.views.List(ctx, s.Who, s.Account.ID, page)
		if err != nil {
			return nil, err
		}
		if views = append(views, found...); next == nil {
			return views, nil
		}
		page.After = next
	}
}

// columnsOf returns the columns of the table: those of the chosen view or, without one or if f.Own is set, those that
// the member chose last.
func (p *pages) columnsOf(ctx context.Context, s *frame.Scene, bar viewBar, f *filters) ([]string, error) {
	if bar.Chosen != nil && !f.Own {
		return bar.Chosen.Columns, nil
	}
	return p.views.Columns(ctx, s.Who, s.Account.ID)
}

// names reports whether a query has any of the parameters, even with an empty value.
func names(query url.Values, parameters []string) bool {
	return slices.ContainsFunc(parameters, query.Has)
}

// sentView parses a form of the bar. It returns the form, and the filters and the bar of the page on which the form is.
// The error is NotFound if the filters cannot be parsed, and otherwise that of frame.FormOf, tabs or columnsOf.
func (p *pages) sentView(w http.ResponseWriter, r *http.Request, s *frame.Scene) (url.Values, filters, viewBar, error) {
	form, err := frame.FormOf(w, r)
	if err != nil {
		return nil, filters{}, viewBar{}, err
	}
	query, err := url.ParseQuery(form.Get("query"))
	if err != nil {
		return nil, filters{}, viewBar{}, frame.NotFound()
	}
	f, page := filtersOf(query), "companies"
	if form.Get("page") == "board" {
		page = "board"
	}
	bar, err := p.tabs(r.Context(), s, page, query, &f)
	if err == nil {
		bar.columns, err = p.columnsOf(r.Context(), s, bar, &f)
	}
	return form, f, bar, err
}

// saveView saves the filters and columns as a view, and redirects to the view. If the visitor has already made a view
// with this name, saveView changes that view, so that sending a form twice does not create two. The errors are those of
// sentView, savedview.Draft.Check, and of savedview.Service's Create or Change.
func (p *pages) saveView(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	form, f, bar, err := p.sentView(w, r, s)
	if err != nil {
		return err
	}
	draft := f.draft(form.Get("name"), form.Has("shared"), bar.columns)
	if err := draft.Check(); err != nil {
		return err
	}
	for _, tab := range bar.Tabs {
		if tab.Mine && tab.Name == draft.Name {
			return p.storeView(w, r, s, bar, tab.ID, draft)
		}
	}
	made, err := p.views.Create(r.Context(), s.Caller.UserID, s.Account.ID, draft)
	if err != nil {
		return err
	}
	return toView(w, r, bar, made.ID)
}

// changeView sets the filters, the columns and the name of a view, and whether it is shared, to those in the form, and
// redirects to the view. The errors are those of sentView and savedview.Service.Change.
func (p *pages) changeView(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	form, f, bar, err := p.sentView(w, r, s)
	if err != nil {
		return err
	}
	id, err := frame.PathID(r, "view")
	if err != nil {
		return err
	}
	return p.storeView(w, r, s, bar, id, f.draft(form.Get("name"), form.Has("shared"), bar.columns))
}

func (p *pages) storeView(
	w http.ResponseWriter, r *http.Request, s *frame.Scene, bar viewBar, id uuid.UUID, d savedview.Draft,
) error {
	change := savedview.Change{
		Name: &d.Name, Shared: &d.Shared, Search: &d.Search, Source: &d.Source, SortBy: &d.SortBy, Ascending: &d.Ascending,
		Status: &savedview.Status{ID: d.CompanyStatusID, None: d.NoStatus}, Columns: (*[]string)(&d.Columns),
	}
	if _, err := p.views.Change(r.Context(), s.Caller.UserID, s.Account.ID, id, change); err != nil {
		return err
	}
	return toView(w, r, bar, id)
}

func toView(w http.ResponseWriter, r *http.Request, bar viewBar, id uuid.UUID) error {
	return frame.Redirect(w, r, bar.All+"?view="+id.String())
}

func (p *pages) deleteView(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	_, _, bar, err := p.sentView(w, r, s)
	if err != nil {
		return err
	}
	id, err := frame.PathID(r, "view")
	if err != nil {
		return err
	}
	if err := p.views.Delete(r.Context(), s.Caller.UserID, s.Account.ID, id); err != nil {
		return err
	}
	return frame.Redirect(w, r, bar.All)
}

// chooseColumns stores the columns of the table that the visitor has chosen, and redirects to the table, which then has
// them, even if a saved view is chosen.
func (p *pages) chooseColumns(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	form, f, _, err := p.sentView(w, r, s)
	if err != nil {
		return err
	}
	if err := p.views.ChooseColumns(r.Context(), s.Caller.UserID, s.Account.ID, form["column"]); err != nil {
		return err
	}
	f.Own = f.View != ""
	return frame.Redirect(w, r, f.with(s.Base()+"/companies"))
}
