package team

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"dealflow/internal/form"
	"dealflow/internal/ingest/hooks"
	"dealflow/internal/pages/formpage"
	"dealflow/internal/pages/frame"
	"dealflow/internal/pages/render"
	"dealflow/internal/postgres/paging"
)

// How many integrations and receipts a page shows. An account may not have more than integrationsSize integrations.
const (
	integrationsSize = 200
	receiptsSize     = 50
)

// integrationList has the data of the page of the integrations that send an account emails and form submissions.
type integrationList struct {
	formpage.Outcome

	Tabs         formpage.Tabs
	Integrations []integration
	Kinds        []frame.Choice
	New          *formpage.Once
}

// integration is an integration as pages show it.
type integration struct {
	hooks.Integration

	Label string // of its kind
	URL   string // the address to which its service sends
	Page  string // the address of the page of its receipts
	Mails bool   // it receives emails, and so may have a signing key
}

// receiptList has the data of the page of the receipts of an integration: of the messages that it received and that are
// processed later.
type receiptList struct {
	integration

	Tabs     formpage.Tabs
	Receipts []hooks.Receipt
	Pager    frame.Pager
}

func (p *pages) integrationRoutes() {
	const all = teamPath + "/integrations"
	d := p.forms.Add(p.frame.Member, all, p.integrationsPage)
	d.Form("/add", "", p.addIntegration)
	d.Form("/{integration}/change", "The integration is changed.", formpage.WithID("integration", p.changeIntegration))
	d.Form("/{integration}/switch", "The integration is switched.", formpage.WithID("integration", p.switchIntegration))
	d.Form("/{integration}/rotate", "", formpage.WithID("integration", p.rotateIntegration))
	d.Form("/{integration}/try", "", formpage.WithID("integration", p.tryIntegration))
	d.Form("/{integration}/delete", "The integration is deleted. What it brought stays.",
		formpage.WithID("integration", p.deleteIntegration))
	p.frame.Member("GET "+all+"/{integration}", p.receiptsPage)
}

func kindsOfIntegrations() []frame.Choice {
	kinds := []frame.Choice{{Value: hooks.FromEmail, Label: "Emails"}}
	for _, tool := range form.Tools() {
		kinds = append(kinds, frame.Choice{Value: tool.Name, Label: "Submissions of " + tool.Label})
	}
	return kinds
}

func (p *pages) integrationOf(s *frame.Scene, one hooks.Integration) integration {
	shown := integration{
		Integration: one, Label: one.Kind, URL: p.frame.Address("/hooks/" + one.HookToken),
		Page: s.Base() + "/team/integrations/" + one.ID.String(), Mails: one.Kind == hooks.FromEmail,
	}
	for _, kind := range kindsOfIntegrations() {
		if kind.Value == one.Kind {
			shown.Label = kind.Label
		}
	}
	return shown
}

func (p *pages) integrationsPage(w http.ResponseWriter, r *http.Request, s *frame.Scene, o formpage.Outcome) error {
	found, _, err := p.deps.Integrations.List(r.Context(), s.Who, s.Account.ID, paging.First(integrationsSize))
	if err != nil {
		return err
	}
	model := integrationList{
		Outcome: o, Tabs: teamTabs(s, "/integrations"), Kinds: kindsOfIntegrations(), New: o.Once(),
	}
	for _, one := range found {
		model.Integrations = append(model.Integrations, p.integrationOf(s, one))
	}
	return p.frame.Show(w, o.Status(), "integrations", s.Page("Integrations", "team", model))
}

func (p *pages) addIntegration(r *http.Request, s *frame.Scene, form url.Values) (any, error) {
	made, secret, err := p.deps.Integrations.Create(r.Context(), s.Caller.UserID, s.Account.ID, hooks.NewIntegration{
		Kind: form.Get("kind"), Name: form.Get("name"), CreateCompanies: form.Has("create_companies"),
	})
	return p.secretOf(s, made, secret), err
}

// secretOf returns a Once with the secret of an integration and the address to which its service must send.
func (p *pages) secretOf(s *frame.Scene, made hooks.Integration, secret string) formpage.Once {
	name := formpage.ShortName(made.Name)
	return formpage.Once{
		Title: "The integration " + name,
		Text:  "Give these to the service that sends. The secret is not shown again.",
		Values: []frame.Choice{
			{Value: p.integrationOf(s, made).URL, Label: "the address of " + name},
			{Value: secret, Label: "the secret of " + name},
		},
	}
}

// changeIntegration changes the name of an integration, whether companies are created from what it sends, and its
// signing key. The field no_signing_key removes the key; without it, an empty key does not change the present one.
func (p *pages) changeIntegration(r *http.Request, s *frame.Scene, id uuid.UUID, form url.Values) (any, error) {
	change := hooks.Change{Name: new(form.Get("name")), CreateCompanies: new(form.Has("create_companies"))}
	if form.Has("no_signing_key") {
		change.SigningKey = new((*string)(nil))
	} else if signing := frame.Given(form, "signing_key"); signing != nil {
		change.SigningKey = &signing
	}
	_, err := p.deps.Integrations.Change(r.Context(), s.Caller.UserID, s.Account.ID, id, change)
	return nil, err
}

func (p *pages) switchIntegration(r *http.Request, s *frame.Scene, id uuid.UUID, form url.Values) (any, error) {
	change := hooks.Change{Enabled: new(form.Get("enabled") == "true")}
	_, err := p.deps.Integrations.Change(r.Context(), s.Caller.UserID, s.Account.ID, id, change)
	return nil, err
}

func (p *pages) rotateIntegration(r *http.Request, s *frame.Scene, id uuid.UUID, _ url.Values) (any, error) {
	rotated, secret, err := p.deps.Integrations.Rotate(r.Context(), s.Caller.UserID, s.Account.ID, id)
	return p.secretOf(s, rotated, secret), err
}

// tryIntegration processes an example of what the integration's service sends, without storing anything, and returns a
// Once with the records that would be stored. The errors are those of hooks.Service.Try.
func (p *pages) tryIntegration(r *http.Request, s *frame.Scene, id uuid.UUID, _ url.Values) (any, error) {
	trial, err := p.deps.Integrations.Try(r.Context(), s.Caller.UserID, s.Account.ID, id)
	if err != nil {
		return nil, err
	}
	shown := formpage.Once{
		Title: formpage.ShortName(trial.Integration.Name) + " works",
		Text: "An example took the way that real ones take: its signature was checked, it was read and written. Nothing " +
			"of it was kept.",
		Lines: trial.Answers,
	}
	if trial.Mail != nil {
		shown.Lines = []string{
			"From: " + trial.Mail.FromName + " <" + trial.Mail.FromEmail + ">", "Subject: " + render.Text(trial.Mail.Subject),
			trial.Mail.Content,
		}
	}
	shown.Lines = append(shown.Lines, map[bool]string{
		true: "A company would be made of it.", false: "No company would be made of it, as this integration is set.",
	}[trial.Company])
	return shown, nil
}

// deleteIntegration deletes an integration. An integration that was deleted before is not an error.
func (p *pages) deleteIntegration(r *http.Request, s *frame.Scene, id uuid.UUID, _ url.Values) (any, error) {
	return nil, formpage.UnlessGone(p.deps.Integrations.Delete(r.Context(), s.Caller.UserID, s.Account.ID, id))
}

// receiptsPage shows the receipts of an integration, a page at a time. The error is NotFound if the account does not
// have the integration, and otherwise that of hooks.Service's Receipts or List.
func (p *pages) receiptsPage(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	id, err := frame.PathID(r, "integration")
	if err != nil {
		return err
	}
	page, pager := frame.PageOf(r, receiptsSize)
	receipts, next, err := p.deps.Integrations.Receipts(r.Context(), s.Who, s.Account.ID, id, page)
	if err != nil {
		return err
	}
	all, _, err := p.deps.Integrations.List(r.Context(), s.Who, s.Account.ID, paging.First(integrationsSize))
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(one hooks.Integration) bool { return one.ID == id })
	if at < 0 {
		return frame.NotFound()
	}
	pager.End(r, next != nil)
	model := receiptList{
		integration: p.integrationOf(s, all[at]), Tabs: teamTabs(s, "/integrations"), Receipts: receipts, Pager: pager,
	}
	return p.frame.Show(w, http.StatusOK, "receipts", s.Page(all[at].Name, "team", model))
}
