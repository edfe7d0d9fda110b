// Package companies has the page of a company and the pages for what is done with it: adding, editing, reviewing and
// merging.
package companies

import (
	"context"
	"html/template"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"dealflow/internal/account"
	"dealflow/internal/activity"
	"dealflow/internal/analysis"
	"dealflow/internal/blob"
	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/attachment"
	"dealflow/internal/company/findings"
	"dealflow/internal/company/merge"
	"dealflow/internal/company/sources"
	"dealflow/internal/company/upload"
	"dealflow/internal/email"
	"dealflow/internal/form"
	"dealflow/internal/markdown"
	"dealflow/internal/meeting"
	"dealflow/internal/pages/formpage"
	"dealflow/internal/pages/frame"
	"dealflow/internal/pages/render"
	"dealflow/internal/pages/sharing"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/share"
	"dealflow/internal/slides"
	"dealflow/internal/watch"
)

// Limits of the page of a company: besideSize is the number of emails, minutes, submissions and links that it shows. It
// shows besideSize * upload.MaxFiles attachments, and historySize events. sharesSize is how many shares with colleagues
// it reads.
const (
	besideSize  = 20
	historySize = 30
	sharesSize  = 200
)

// deal has the data of the page of one company.
type deal struct {
	fields

	Events      string    // the address at which changes are streamed
	Text        []stretch // of the company, as it was sent; shortened unless the query has text=whole
	DeckName    string
	Slides      []slide
	NotesHTML   template.HTML
	AnalyzedAt  string
	Findings    []finding
	Attachments []company.File
	Minutes     []noted
	Emails      []email.Email
	Submissions []submitted
	History     []activity.NamedEntry
	Own         []ownField
	Background  sources.Background
	Merges      []merged
	Merged      string // the id of the merge that has just been done, or undone
	Links       []sharing.Link
	LinkForm    sharing.Form
	Team        []person // the first 200 members; says whom the company is shared with or assigned to
}

// fields are the editable fields of a company, and what their editors need.
type fields struct {
	Card

	Visibility   string
	Notes        string
	DeckLink     string
	Founders     []analysis.Founder // the first maxFounders
	MoreFounders int                // those that are not shown
	Summary      string
	Stages       []pipeline.Status
	Sources      []string
	Visibilities []string
	Back         string // where forms lead back to: "review", or "" for the company's page
}

// SeenName, SeenNotes, SeenSummary, SeenDeckLink and SeenFounders return fingerprints of what the editors show. Forms
// send them back; see keepsUnseen.
func (f fields) SeenName() string     { return fingerprint(f.Name) }
func (f fields) SeenNotes() string    { return fingerprint(f.Notes) }
func (f fields) SeenSummary() string  { return fingerprint(f.Summary) }
func (f fields) SeenDeckLink() string { return fingerprint(f.DeckLink) }
func (f fields) SeenFounders() string { return fingerprint(foundersText(f.Founders)) }

// maxFounders is how many founders of a company a page shows. The founders of a company that has more cannot be changed
// there: the form would drop the others.
const maxFounders = 50

// person is a member of the team. Shared and Assigned report whether a company is shared with and assigned to this
// member.
type person struct {
	account.User

	Shared, Assigned bool
}

// noted are minutes with their content as HTML.
type noted struct {
	meeting.Minutes

	HTML template.HTML
}

// Fields returns the editable fields, for the templates of their editors.
func (d deal) Fields() fields { return d.fields }

// Deps are the dependencies of the pages of companies. All are required.
type Deps struct {
	Pipelines   *pipeline.Service
	Companies   *company.Service
	Creations   *aicreation.Service
	Attachments *attachment.Service
	Sources     *sources.Service
	Merges      *merge.Service
	Meetings    *meeting.Service
	Forms       *form.Service
	Emails      *email.Service
	Shares      *share.Service
	Signer      *blob.Signer // of downloads
	Slides      *slides.Slides
	Changes     *watch.Watcher // of companies
	Now         func() time.Time
}

type pages struct {
	frame *frame.Server
	notes *markdown.Renderer
	deps  Deps
}

// Serve adds to the server the page of a company, and the pages of review, of adding a company and of merging two, with
// their forms.
func Serve(on *frame.Server, forms *formpage.Pages, deps Deps) {
	p := &pages{frame: on, notes: markdown.New(), deps: deps}
	const one = "/app/{account}/companies/{company}"
	on.Member("GET "+one, p.companyPage)
	on.Member("POST "+one+"/edit", p.editCompany)
	on.Member("POST "+one+"/delete", p.deleteCompany)
	on.Member("POST "+one+"/analysis", p.analyzeAgain)
	on.Member("POST "+one+"/review", p.confirmFindings)
	on.Member("POST "+one+"/attachments", p.attach)
	on.Member("POST "+one+"/attachments/{file}/remove", p.detach)
	on.Member("GET "+one+"/attachments/{file}", p.downloadAttachment)
	on.Member("POST "+one+"/minutes", p.writeMinutes)
	on.Member("GET "+one+"/emails/{email}", p.emailPage)
	on.Member("GET "+one+"/emails/{email}/files/{file}", p.emailFile)
	on.Member("POST "+one+"/shares", p.share)
	on.Member("GET "+one+"/deck", p.downloadDeck)
	on.Member("GET "+one+"/deck/{page}", p.deckPage)
	on.Member("GET "+one+"/deck/{page}/quotes", p.deckQuotes)
	on.Member("GET "+one+"/events", p.companyEvents)
	on.Member("GET /app/{account}/review", p.reviewPage)
	on.Member("GET /app/{account}/add", p.addPage)
	on.Member("POST /app/{account}/add", p.add)
	forms.Add(on.Member, one+"/merge", p.mergePage).Form("/do", "", p.mergeCompanies)
	on.Member("POST "+one+"/unmerge", p.unmerge)
}

// visibleCompany returns the company of the path, with its deck. The error is NotFound if the company belongs to
// another account or is hidden from the visitor, Forbidden if the visitor is not a member of its account, and Gone if
// the company was merged into one that the visitor sees (see fault.SuccessorOf).
func (p *pages) visibleCompany(r *http.Request, s *frame.Scene) (company.View, error) {
	id, err := frame.PathID(r, "company")
	if err != nil {
		return company.View{}, err
	}
	return p.companyOf(r.Context(), s, id)
}

// companyOf returns a company of the account, with its deck. The errors are those of visibleCompany.
func (p *pages) companyOf(ctx context.Context, s *frame.Scene, id uuid.UUID) (company.View, error) {
	view, err := p.deps.Companies.GetWithDeck(ctx, s.Who, id)
	if err == nil && view.AccountID != s.Account.ID {
		err = frame.NotFound()
	}
	return view, err
}

func (p *pages) companyPage(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	id, err := frame.PathID(r, "company")
	if err != nil {
		return err
	}
	events, err := frame.EventsURL(r.Context(), p.deps.Changes, r.URL.Path, id)
	if err != nil {
		return err
	}
	view, err := p.visibleCompany(r, s)
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
		fields: fieldsOf(s, view, stages), NotesHTML: p.notes.HTML(render.Text(view.Notes)),
		AnalyzedAt: membersOf(view.Metadata).AnalyzedAt, Events: events, Merged: r.URL.Query().Get("merged"),
	}
	if model.Merges, err = p.mergesOf(r, s, view.ID); err != nil {
		return err
	}
	var evidence []findings.Evidence
	if kept != nil {
		model.Findings, evidence = model.findings(*kept), kept.Evidence
	}
	model.Text = mark(render.Text(view.SourceContent), evidence)
	if r.URL.Query().Get("text") != "whole" {
		model.Text = shortened(model.Text)
	}
	group, ctx := errgroup.WithContext(r.Context()) // each sets other members of model, with its own copy of the identity
	for _, load := range []func(context.Context, *frame.Scene, company.View, *deal) error{
		p.loadDeck, p.loadBeside, p.loadPeople, p.loadOwn,
	} {
		own, who := *s, *s.Who
		own.Who = &who
		group.Go(func() error { return load(ctx, &own, view, &model) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return p.frame.Show(w, http.StatusOK, "company", s.Page(view.Name, "companies", model))
}

func (p *pages) stages(ctx context.Context, s *frame.Scene) ([]pipeline.Status, error) {
	stages, _, err := p.deps.Pipelines.List(ctx, s.Who, s.Account.ID, paging.First(pipeline.Most))
	return stages, err
}

func fieldsOf(s *frame.Scene, view company.View, stages []pipeline.Status) fields {
	found := membersOf(view.Metadata)
	shown := found.Founders[:min(len(found.Founders), maxFounders)]
	return fields{
		Card: CardOf(s, view), Visibility: view.Visibility, Notes: render.Text(view.Notes),
		DeckLink: render.WebLink(render.Text(view.DeckLink)), Founders: shown, MoreFounders: len(found.Founders) - len(shown),
		Summary: found.Summary, Stages: stages, Sources: company.Sources(), Visibilities: company.Visibilities(),
	}
}

// loadBeside adds to m the records about a company that its page shows: attachments, minutes, emails, submissions,
// links, history, and the sources of the company. It reads the first of each kind; see besideSize.
func (p *pages) loadBeside(ctx context.Context, s *frame.Scene, view company.View, m *deal) error {
	id, first := view.ID, paging.First(besideSize)
	var err error
	if m.Attachments, _, err = p.deps.Attachments.List(ctx, s.Who, id,
		paging.First(upload.MaxFiles*besideSize)); err != nil {
		return err
	}
	minutes, _, err := p.deps.Meetings.List(ctx, s.Who, s.Account.ID, meeting.ListQuery{Page: first, CompanyID: &id})
	if err != nil {
		return err
	}
	for _, one := range minutes {
		m.Minutes = append(m.Minutes, noted{one, p.notes.HTML(render.Text(one.Content))})
	}
	if m.Emails, _, err = p.deps.Emails.List(ctx, s.Who, s.Account.ID,
		email.ListQuery{Page: first, CompanyID: &id}); err != nil {
		return err
	}
	submissions, _, _, err := p.deps.Forms.List(ctx, s.Who, s.Account.ID, form.ListQuery{Page: first, CompanyID: &id})
	if err != nil {
		return err
	}
	for _, one := range submissions {
		m.Submissions = append(m.Submissions, submitted{one, answersOf(one.Data)})
	}
	shared, err := p.deps.Shares.OfCompany(ctx, s.Who, s.Account.ID, id, besideSize)
	if err != nil {
		return err
	}
	m.Links, m.LinkForm = sharing.LinksOf(p.frame, s, shared), sharing.FormOf(s)
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

func (p *pages) loadOwn(ctx context.Context, s *frame.Scene, view company.View, m *deal) error {
	settings, err := p.fieldSettings(ctx, s)
	m.Own = ownFieldsOf(settings, view.Metadata)
	return err
}

// loadPeople adds the first members of the account to m, at most as many as frame.Server.Team returns. It marks those
// among them with whom the company is shared or to whom it is assigned, and reads at most sharesSize shares.
func (p *pages) loadPeople(ctx context.Context, s *frame.Scene, view company.View, m *deal) error {
	team, err := p.frame.Team(ctx, s)
	if err != nil {
		return err
	}
	shared, _, err := p.deps.Companies.Shares(ctx, s.Who, view.ID, paging.First(sharesSize))
	if err != nil {
		return err
	}
	for _, member := range team {
		is := func(u account.User) bool { return u.ID == member.UserID }
		m.Team = append(m.Team, person{
			User:   account.User{ID: member.UserID, Name: member.Name, Email: member.Email},
			Shared: slices.ContainsFunc(shared, is), Assigned: slices.ContainsFunc(view.Assignees, is),
		})
	}
	return nil
}
