package pages

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/share"
)

// How much of the links a page shows, the newest.
const (
	linksSize   = 50
	visitsSize  = 200
	choicesSize = 100 // companies that a new link can be made of on the page of links
)

// linkList is the page of an account's shared links.
type linkList struct {
	Links  []link
	Form   linkForm
	Before string // the page before; "" for none
	After  string // the page after
	Number int
}

// link is a shared link as people are shown it.
type link struct {
	share.Listed

	Title  string
	URL    string // for outsiders
	Page   string // of its visits
	Revoke string
	From   string // the company on whose page it is shown; "" for none
}

// linkForm is where a link is made.
type linkForm struct {
	Action string
	Levels []choice
	Choice []company.View
	Only   string // the company on whose page the form is; "" where companies are chosen
}

// choice is an option of a menu.
type choice struct{ Value, Label string }

func (p *Pages) linkRoutes() {
	p.member("GET /app/{account}/links", p.linksPage)
	p.member("POST /app/{account}/links", p.makeLink)
	p.member("GET /app/{account}/links/{link}", p.linkPage)
	p.member("POST /app/{account}/links/{link}/revoke", p.revokeLink)
}

func (p *Pages) linksPage(w http.ResponseWriter, r *http.Request, s *scene) error {
	model := linkList{Form: linkFormOf(s), Number: 1}
	if number, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil && number > 1 {
		model.Number = number
		model.Before = pageURL(r.URL, number-1)
	}
	listed, next, err := p.deps.Shares.List(r.Context(), s.Who, s.account.ID,
		postgres.Page{Number: model.Number, Limit: linksSize})
	if err != nil {
		return err
	}
	model.Links = p.linksOf(s, listed)
	if next != nil {
		model.After = pageURL(r.URL, model.Number+1)
	}
	newest := company.ListQuery{Page: postgres.FirstPage(choicesSize), AccountID: &s.account.ID, Sort: company.SortUpdated}
	if model.Form.Choice, _, err = p.deps.Companies.List(r.Context(), s.Who, newest); err != nil {
		return err
	}
	return p.show(w, http.StatusOK, "links", s.frame("Shared links", "links", model))
}

func linkFormOf(s *scene) linkForm {
	return linkForm{Action: s.base() + "/links", Levels: []choice{
		{share.ViewDeck, "The deck alone"},
		{share.View, "Deck, summary and founders"},
		{share.Full, "Everything, with notes and attachments"},
	}}
}

func (p *Pages) linksOf(s *scene, listed []share.Listed) []link {
	links := make([]link, len(listed))
	for i, one := range listed {
		page := s.base() + "/links/" + one.ID.String()
		links[i] = link{
			Listed: one, Title: titleOf(one), URL: p.deps.PublicURL + "/s/" + one.ShortCode, Page: page,
			Revoke: page + "/revoke",
		}
	}
	return links
}

// titleOf returns what a link is called: its name, or what it shows.
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

// makeLink makes a link, and leads to the page where it can be copied.
func (p *Pages) makeLink(w http.ResponseWriter, r *http.Request, s *scene) error {
	form, err := formOf(w, r)
	if err != nil {
		return err
	}
	draft, err := draftOf(form)
	if err != nil {
		return err
	}
	made, err := p.deps.Shares.Create(r.Context(), s.Caller.UserID, s.account.ID, draft)
	if err != nil {
		return err
	}
	//nolint:gosec // G710: a path of ours, made of ids
	http.Redirect(w, r, s.base()+"/links/"+made.ID.String(), http.StatusSeeOther)
	return nil
}

// draftOf reads a link to be made out of a form. A mark implies what it needs.
func draftOf(form url.Values) (share.Draft, error) {
	given := func(name string) *string {
		if form.Get(name) == "" {
			return nil
		}
		return new(form.Get(name))
	}
	draft := share.Draft{
		Name: given("name"), Description: given("description"), Password: given("password"), Watermark: form.Has("watermark"),
		AskEmail: form.Has("ask_email") || form.Has("watermark"), ViewOnly: !form.Has("download") || form.Has("watermark"),
	}
	if day := form.Get("until"); day != "" {
		until, err := time.Parse(time.DateOnly, day)
		if err != nil {
			return draft, fault.Field("until", "must be a day such as 2026-12-31")
		}
		draft.ExpiresAt = new(until.AddDate(0, 0, 1).Add(-time.Second)) // the whole of the day
	}
	for _, sent := range form["company"] {
		id, err := uuid.Parse(sent)
		if err != nil {
			return draft, notFound()
		}
		draft.Companies = append(draft.Companies, share.Wanted{CompanyID: id, Permissions: form.Get("permissions")})
	}
	return draft, nil
}

func (p *Pages) revokeLink(w http.ResponseWriter, r *http.Request, s *scene) error {
	form, err := formOf(w, r)
	if err != nil {
		return err
	}
	id, err := pathID(r, "link")
	if err != nil {
		return err
	}
	if err := p.deps.Shares.Delete(r.Context(), s.Caller.UserID, s.account.ID, id); err != nil {
		return err
	}
	to := s.base() + "/links"
	if from, err := uuid.Parse(form.Get("company")); err == nil {
		to = s.base() + "/companies/" + from.String() + "#links"
	}
	http.Redirect(w, r, to, http.StatusSeeOther) //nolint:gosec // G710: a path of ours, made of ids
	return nil
}

// linkReport is the page of one link: who opened it and when, and what they looked at.
type linkReport struct {
	link

	Visits []visit
	Decks  []chart // how long the pages of each deck were in sight
}

// Itself returns the link.
func (l linkReport) Itself() link { return l.link }

// visit is somebody who opened a link.
type visit struct {
	Who   string
	At    time.Time
	Pages int
	Spent string
}

func (p *Pages) linkPage(w http.ResponseWriter, r *http.Request, s *scene) error {
	id, err := pathID(r, "link")
	if err != nil {
		return err
	}
	found, err := p.deps.Shares.Get(r.Context(), s.Who, s.account.ID, id)
	if err != nil {
		return err
	}
	visits, times, err := p.deps.Shares.Visits(r.Context(), s.Who, s.account.ID, id, visitsSize)
	if err != nil {
		return err
	}
	model := linkReport{
		link: p.linksOf(s, []share.Listed{found})[0], Visits: visitsOf(visits, times), Decks: decksOf(found, times),
	}
	return p.show(w, http.StatusOK, "link", s.frame(model.Title, "links", model))
}

func visitsOf(visits []share.Visit, times []share.PageTime) []visit {
	spent, pages := map[uuid.UUID]int64{}, map[uuid.UUID]int{}
	for _, one := range times {
		spent[one.VisitID] += one.Milliseconds
		pages[one.VisitID]++
	}
	all := make([]visit, len(visits))
	for i, one := range visits {
		all[i] = visit{Who: text(one.Email), At: one.OpenedAt, Pages: pages[one.ID], Spent: spentText(spent[one.ID])}
	}
	return all
}

// decksOf returns a chart for each deck of which somebody has seen a page.
func decksOf(found share.Listed, times []share.PageTime) []chart {
	var charts []chart
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
		shown := chart{Title: one.CompanyName + ": time on each page", Column: "Page", Measure: "Time"}
		for page := range last {
			shown.add(bar{Label: fmt.Sprintf("Page %d", page+1), Value: float64(spent[page+1]), Text: spentText(spent[page+1])})
		}
		charts = append(charts, shown)
	}
	return charts
}

// spentText writes a time for people.
func spentText(milliseconds int64) string {
	spent := (time.Duration(milliseconds) * time.Millisecond).Round(time.Second)
	if spent == 0 && milliseconds > 0 {
		return "under 1 s"
	}
	return strings.NewReplacer("h", " h ", "m", " min ", "s", " s").Replace(spent.String())
}
