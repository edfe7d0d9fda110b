package pages

import (
	"context"
	"html/template"
	"net/http"
	"slices"

	"golang.org/x/sync/errgroup"

	"dealflow/internal/account"
	"dealflow/internal/analysis"
	"dealflow/internal/company"
	"dealflow/internal/company/sources"
	"dealflow/internal/company/upload"
	"dealflow/internal/email"
	"dealflow/internal/form"
	"dealflow/internal/meeting"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
)

// How many of what hangs on a company its page shows, the newest.
const (
	besideSize  = 20
	historySize = 30
	teamSize    = 200
)

// deal is the page of one company.
type deal struct {
	fields

	Events      string    // where changes are streamed
	Text        []stretch // as it was sent
	DeckName    string
	Slides      []slide
	NotesHTML   template.HTML
	AnalyzedAt  string
	Findings    []finding
	Attachments []company.File
	Minutes     []noted
	Emails      []email.Email
	Submissions []form.Submission
	History     []company.Done
	Background  sources.Background
	Merges      []merged
	Merged      string // the id of the merge that has just been done, or undone
	Links       []link
	LinkForm    linkForm
	Team        []person // with whom of them it is shared, and who is assigned
}

// fields are what of a company can be edited, and what its editors need.
type fields struct {
	card

	Visibility   string
	Notes        string
	DeckLink     string
	Founders     []analysis.Founder
	Summary      string
	Stages       []pipeline.Status
	Sources      []string
	Visibilities []string
	Back         string // where the editors lead to: "" the company's page
}

// person is a member of the team, as a company's page shows them.
type person struct {
	account.User

	Shared, Assigned bool
}

// noted are minutes with their content as HTML.
type noted struct {
	meeting.Minutes

	HTML template.HTML
}

// Fields returns what the editors of the page need.
func (d deal) Fields() fields { return d.fields }

// companyRoutes lists the page of a company with what is done on it, what is to be reviewed, and how companies are
// added.
func (p *Pages) companyRoutes() {
	const one = "/app/{account}/companies/{company}"
	p.member("GET "+one, p.companyPage)
	p.member("POST "+one+"/edit", p.editCompany)
	p.member("POST "+one+"/analysis", p.analyzeAgain)
	p.member("POST "+one+"/review", p.confirmFindings)
	p.member("POST "+one+"/attachments", p.attach)
	p.member("POST "+one+"/attachments/{file}/remove", p.detach)
	p.member("GET "+one+"/attachments/{file}", p.downloadAttachment)
	p.member("POST "+one+"/shares", p.share)
	p.member("GET "+one+"/deck", p.downloadDeck)
	p.member("GET "+one+"/deck/{page}", p.deckPage)
	p.member("GET "+one+"/deck/{page}/quotes", p.deckQuotes)
	p.member("GET "+one+"/events", p.companyEvents)
	p.member("GET /app/{account}/review", p.reviewPage)
	p.member("GET /app/{account}/add", p.addPage)
	p.member("POST /app/{account}/add", p.add)
}

// sight returns the company of the path, with its deck: NotFound where it is another account's.
func (p *Pages) sight(r *http.Request, s *scene) (company.View, error) {
	id, err := pathID(r, "company")
	if err != nil {
		return company.View{}, err
	}
	view, err := p.deps.Companies.GetWithDeck(r.Context(), s.Who, id)
	if err == nil && view.AccountID != s.account.ID {
		err = notFound()
	}
	return view, err
}

func (p *Pages) companyPage(w http.ResponseWriter, r *http.Request, s *scene) error {
	id, err := pathID(r, "company")
	if err != nil {
		return err
	}
	events, err := p.eventsURL(r.Context(), p.deps.Changes, r.URL.Path, id)
	if err != nil {
		return err
	}
	view, err := p.sight(r, s)
	if err != nil {
		return followMerge(w, r, s, err)
	}
	stages, err := p.stages(r.Context(), s)
	if err != nil {
		return err
	}
	kept, err := p.deps.Companies.Findings(r.Context(), s.Who, view.ID)
	if err != nil {
		return err
	}
	model := deal{
		fields: fieldsOf(s, view, stages), NotesHTML: p.notes.HTML(text(view.Notes)),
		AnalyzedAt: membersOf(view.Metadata).AnalyzedAt, Events: events, Merged: r.URL.Query().Get("merged"),
	}
	if model.Merges, err = p.mergesOf(r, s, view.ID); err != nil {
		return err
	}
	if kept != nil {
		model.Findings = model.findings(*kept)
		model.Text = mark(text(view.SourceContent), kept.Evidence)
	} else {
		model.Text = mark(text(view.SourceContent), nil)
	}
	group, ctx := errgroup.WithContext(r.Context()) // each writes members of its own, and reads as an identity of its own
	for _, load := range []func(context.Context, *scene, company.View, *deal) error{
		p.loadDeck, p.loadBeside, p.loadPeople,
	} {
		own, who := *s, *s.Who
		own.Who = &who
		group.Go(func() error { return load(ctx, &own, view, &model) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return p.show(w, http.StatusOK, "company", s.frame(view.Name, "companies", model))
}

func (p *Pages) stages(ctx context.Context, s *scene) ([]pipeline.Status, error) {
	stages, _, err := p.deps.Pipelines.List(ctx, s.Who, s.account.ID, postgres.FirstPage(pipeline.Most))
	return stages, err
}

func fieldsOf(s *scene, view company.View, stages []pipeline.Status) fields {
	found := membersOf(view.Metadata)
	return fields{
		card: cardOf(s, view), Visibility: view.Visibility, Notes: text(view.Notes), DeckLink: webLink(text(view.DeckLink)),
		Founders: found.Founders,
		Summary:  found.Summary, Stages: stages, Sources: company.Sources(), Visibilities: company.Visibilities(),
	}
}

// loadBeside reads what hangs on the company.
func (p *Pages) loadBeside(ctx context.Context, s *scene, view company.View, m *deal) error {
	id, first := view.ID, postgres.FirstPage(besideSize)
	var err error
	if m.Attachments, _, err = p.deps.Attachments.List(ctx, s.Who, id,
		postgres.FirstPage(upload.MaxFiles*besideSize)); err != nil {
		return err
	}
	minutes, _, err := p.deps.Meetings.List(ctx, s.Who, s.account.ID, meeting.ListQuery{Page: first, CompanyID: &id})
	if err != nil {
		return err
	}
	for _, one := range minutes {
		m.Minutes = append(m.Minutes, noted{one, p.notes.HTML(text(one.Content))})
	}
	if m.Emails, _, err = p.deps.Emails.List(ctx, s.Who, s.account.ID,
		email.ListQuery{Page: first, CompanyID: &id}); err != nil {
		return err
	}
	if m.Submissions, _, _, err = p.deps.Forms.List(ctx, s.Who, s.account.ID,
		form.ListQuery{Page: first, CompanyID: &id}); err != nil {
		return err
	}
	shared, err := p.deps.Shares.OfCompany(ctx, s.Who, s.account.ID, id, besideSize)
	if err != nil {
		return err
	}
	m.Links, m.LinkForm = p.linksOf(s, shared), linkFormOf(s)
	m.LinkForm.Only = id.String()
	for i := range m.Links {
		m.Links[i].From = id.String()
	}
	if m.Background, err = p.deps.Sources.Background(ctx, s.Who, id); err != nil {
		return err
	}
	m.History, err = p.deps.Companies.History(ctx, s.Who, id, historySize)
	return err
}

// loadPeople reads the team, with whom the company is shared and who is assigned.
func (p *Pages) loadPeople(ctx context.Context, s *scene, view company.View, m *deal) error {
	team, err := p.deps.Accounts.Team(ctx, s.Who, s.account.ID, postgres.FirstPage(teamSize))
	if err != nil {
		return err
	}
	shared, _, err := p.deps.Companies.Shares(ctx, s.Who, view.ID, postgres.FirstPage(teamSize))
	if err != nil {
		return err
	}
	for _, member := range team.Members {
		is := func(u account.User) bool { return u.ID == member.UserID }
		m.Team = append(m.Team, person{
			User:   account.User{ID: member.UserID, Name: member.Name, Email: member.Email},
			Shared: slices.ContainsFunc(shared, is), Assigned: slices.ContainsFunc(view.Assignees, is),
		})
	}
	return nil
}
