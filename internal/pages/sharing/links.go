// Package sharing has the pages on which members see and create shared links. It does not have the pages that the links
// show to outsiders.
package sharing

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/pages/frame"
	"dealflow/internal/pages/render"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/share"
)

// linksSize is how many links a page of the list has, and visitsSize how many visits the page of one link shows.
const (
	linksSize   = 50
	visitsSize  = 200
	choicesSize = 100 // most companies that can be chosen for a new link
)

// linkList has the data of the page of an account's shared links.
type linkList struct {
	frame.Pager

	Links []Link
	Form  Form
}

// Link is a shared link as pages show it.
type Link struct {
	share.Listed

	Title  string
	URL    string // the address that outsiders open
	Page   string // the address of the page of its visits
	Revoke string
	From   string // the company on whose page it is shown; "" for none
}

// choice is a company that can be chosen for a new link.
type choice struct {
	ID   uuid.UUID
	Name string
}

// Form has the data of the form that creates a link.
type Form struct {
	Action string
	Levels []frame.Choice
	Choice []choice
	Only   string // the company on whose page the form is; "" if companies are chosen
}

type pages struct {
	frame     *frame.Server
	shares    *share.Service
	companies *company.Service
}

// Serve adds the pages of shared links, as members see them, to the server.
func Serve(on *frame.Server, shares *share.Service, companies *company.Service) {
	p := &pages{frame: on, shares: shares, companies: companies}
	p.frame.Member("GET /app/{account}/links", p.linksPage)
	p.frame.Member("POST /app/{account}/links", p.makeLink)
	p.frame.Member("GET /app/{account}/links/{link}", p.linkPage)
	p.frame.Member("POST /app/{account}/links/{link}/revoke", p.revokeLink)
}

func (p *pages) linksPage(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	page, pager := frame.PageOf(r, linksSize)
	listed, next, err := p.shares.List(r.Context(), s.Who, s.Account.ID, page)
	if err != nil {
		return err
	}
	pager.End(r, next != nil)
	model := linkList{Pager: pager, Links: LinksOf(p.frame, s, listed), Form: FormOf(s)}
	if model.Form.Choice, err = p.choices(r.Context(), s); err != nil {
		return err
	}
	return p.frame.Show(w, http.StatusOK, "links", s.Page("Shared links", "links", model))
}

// choices returns at most choicesSize companies of the account that the user sees, the last changed first. A link can
// be created with each, but does not show a private company while it is private.
func (p *pages) choices(ctx context.Context, s *frame.Scene) (found []choice, err error) {
	newest := company.ListQuery{AccountID: &s.Account.ID, Sort: company.SortUpdated}
	list := func(part paging.Page) ([]company.View, *paging.Position, error) {
		newest.Page = part
		return p.companies.List(ctx, s.Who, newest)
	}
	_, err = paging.InParts(paging.First(choicesSize), list, func(views []company.View) error {
		for _, view := range views {
			found = append(found, choice{view.ID, view.Name})
		}
		return nil
	})
	return found, err
}

// FormOf returns the form that creates a link, without companies to choose.
func FormOf(s *frame.Scene) Form {
	return Form{Action: s.Base() + "/links", Levels: []frame.Choice{
		{Value: share.ViewDeck, Label: "The deck alone"},
		{Value: share.View, Label: "Deck, summary and founders"},
		{Value: share.Full, Label: "Everything, with notes and attachments"},
	}}
}

// LinksOf returns links as pages show them, in the same order. It never returns nil. It does not set From.
func LinksOf(on *frame.Server, s *frame.Scene, listed []share.Listed) []Link {
	links := make([]Link, len(listed))
	for i, one := range listed {
		page := s.Base() + "/links/" + one.ID.String()
		links[i] = Link{
			Listed: one, Title: titleOf(one), URL: on.Address("/s/" + one.ShortCode), Page: page,
			Revoke: page + "/revoke",
		}
	}
	return links
}

// titleOf returns the title of a link: its name or, without one, the name of its first company and how many more it
// shows. For a link without a name and companies it returns a sentence that says so.
func titleOf(one share.Listed) string {
	switch {
	case one.Name != nil:
		return *one.Name
	case len(one.Companies) == 1:
		return one.Companies[0].CompanyName
	case len(one.Companies) == 0:
		return "A link to nothing any more"
	}
	return fmt.Sprintf("%s and %d more", one.Companies[0].CompanyName, len(one.Companies)-1)
}

// makeLink creates a link, and redirects to the page from which it can be copied. The errors are those of frame.FormOf,
// draftOf and share.Service.Create.
func (p *pages) makeLink(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	form, err := frame.FormOf(w, r)
	if err != nil {
		return err
	}
	draft, err := draftOf(form)
	if err != nil {
		return err
	}
	made, err := p.shares.Create(r.Context(), s.Caller.UserID, s.Account.ID, draft)
	if err != nil {
		return err
	}
	return frame.Redirect(w, r, s.Base()+"/links/"+made.ID.String())
}

// draftOf parses the form of a new link. A watermark implies that the link requires an email address and allows no
// downloads. The error is InvalidBody for a last day that is not a day, and NotFound for a company that is not an id.
func draftOf(form url.Values) (share.Draft, error) {
	draft := share.Draft{
		Name: frame.Given(form, "name"), Description: frame.Given(form, "description"),
		Password: frame.Given(form, "password"), Watermark: form.Has("watermark"),
		AskEmail: form.Has("ask_email") || form.Has("watermark"), ViewOnly: !form.Has("download") || form.Has("watermark"),
	}
	var err error
	if draft.ExpiresAt, err = frame.DayEnd(form, "until"); err != nil {
		return draft, err
	}
	for _, sent := range form["company"] {
		id, err := uuid.Parse(sent)
		if err != nil {
			return draft, frame.NotFound()
		}
		draft.Companies = append(draft.Companies, share.Wanted{CompanyID: id, Permissions: form.Get("permissions")})
	}
	return draft, nil
}

func (p *pages) revokeLink(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	form, err := frame.FormOf(w, r)
	if err != nil {
		return err
	}
	id, err := frame.PathID(r, "link")
	if err != nil {
		return err
	}
	if err := p.shares.Delete(r.Context(), s.Caller.UserID, s.Account.ID, id); err != nil {
		return err
	}
	to := s.Base() + "/links"
	if from, err := uuid.Parse(form.Get("company")); err == nil {
		to = s.Base() + "/companies/" + from.String() + "#links"
	}
	return frame.Redirect(w, r, to)
}

// linkReport has the data of the page of one link: who opened it and when, and what they looked at.
type linkReport struct {
	Link

	Visits []visit
	Decks  []render.Chart // how long the pages of each deck were in sight
}

// Itself returns the link, for a template that shows a link.
func (l linkReport) Itself() Link { return l.Link }

// visit is one visit to a link.
type visit struct {
	Who   string
	At    time.Time
	Pages int
	Spent string
}

func (p *pages) linkPage(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	id, err := frame.PathID(r, "link")
	if err != nil {
		return err
	}
	found, err := p.shares.Get(r.Context(), s.Who, s.Account.ID, id)
	if err != nil {
		return err
	}
	visits, times, err := p.shares.Visits(r.Context(), s.Who, s.Account.ID, id, visitsSize)
	if err != nil {
		return err
	}
	model := linkReport{
		Link: LinksOf(p.frame, s, []share.Listed{found})[0], Visits: visitsOf(visits, times), Decks: decksOf(found, times),
	}
	return p.frame.Show(w, http.StatusOK, "link", s.Page(model.Title, "links", model))
}

func visitsOf(visits []share.Visit, times []share.PageTime) []visit {
	spent, pages := map[uuid.UUID]int64{}, map[uuid.UUID]int{}
	for _, one := range times {
		spent[one.VisitID] += one.Milliseconds
		pages[one.VisitID]++
	}
	all := make([]visit, len(visits))
	for i, one := range visits {
		all[i] = visit{
			Who: render.Text(one.Email), At: one.OpenedAt, Pages: pages[one.ID], Spent: render.Spent(spent[one.ID]),
		}
	}
	return all
}

// decksOf returns a chart for each company of the link if somebody has seen a page of its deck: the time that visitors
// have spent on each page, up to the last page seen.
func decksOf(found share.Listed, times []share.PageTime) []render.Chart {
	var charts []render.Chart
	for _, one := range found.Companies {
		spent, last := map[int]int64{}, 0
		for _, at := range times {
			if at.CompanyID == one.CompanyID {
				spent[at.Page] += at.Milliseconds
				last = max(last, at.Page)
			}
		}
		if last == 0 {
			continue
		}
		shown := render.Chart{Title: one.CompanyName + ": time on each page", Column: "Page", Measure: "Time"}
		for page := range last {
			shown.Add(render.Bar{
				Label: fmt.Sprintf("Page %d", page+1), Value: float64(spent[page+1]), Text: render.Spent(spent[page+1]),
			})
		}
		charts = append(charts, shown)
	}
	return charts
}
