package pages

import (
	"net/http"
	"net/url"
	"slices"

	"dealflow/internal/ingest/hooks"
	"dealflow/internal/postgres"
)

// How many integrations and receipts a page shows. The first is as many as an account may have.
const (
	integrationsSize = 200
	receiptsSize     = 50
)

// integrationList is the page of what sends an account mails and submissions.
type integrationList struct {
	outcome

	Tabs         tabs
	Integrations []integration
	Kinds        []choice
	New          *once
}

// integration is an integration as people are shown it.
type integration struct {
	hooks.Integration

	Label string // of its kind
	URL   string // where to send
	Page  string // of what it sent
	Mails bool   // it takes mails, and so may have a signing key
}

// receiptList is the page of what an integration sent.
type receiptList struct {
	integration

	Tabs     tabs
	Receipts []hooks.Receipt
	Pager    pager
}

func (p *Pages) integrationRoutes() {
	const all = teamPath + "/integrations"
	d := p.newDesk(p.member, all, p.integrationsPage)
	d.form("/add", "", p.addIntegration)
	d.form("/{integration}/change", "The integration is changed.", p.changeIntegration)
	d.form("/{integration}/switch", "The integration is switched.", p.switchIntegration)
	d.form("/{integration}/rotate", "", p.rotateIntegration)
	d.form("/{integration}/try", "", p.tryIntegration)
	d.form("/{integration}/delete", "The integration is deleted. What it brought stays.", p.deleteIntegration)
	p.member("GET "+all+"/{integration}", p.receiptsPage)
}

func kindsOfIntegrations() []choice {
	return []choice{
		{hooks.FromEmail, "Emails"},
		{hooks.FromTally, "Submissions of Tally"},
		{hooks.FromTypeform, "Submissions of Typeform"},
	}
}

func (p *Pages) integrationOf(s *scene, one hooks.Integration) integration {
	shown := integration{
		Integration: one, Label: one.Kind, URL: p.deps.PublicURL + "/hooks/" + one.HookToken,
		Page: s.base() + "/team/integrations/" + one.ID.String(), Mails: one.Kind == hooks.FromEmail,
	}
	for _, kind := range kindsOfIntegrations() {
		if kind.Value == one.Kind {
			shown.Label = kind.Label
		}
	}
	return shown
}

func (p *Pages) integrationsPage(w http.ResponseWriter, r *http.Request, s *scene, o outcome) error {
	found, _, err := p.deps.Integrations.List(r.Context(), s.Who, s.account.ID, postgres.FirstPage(integrationsSize))
	if err != nil {
		return err
	}
	model := integrationList{
		outcome: o, Tabs: teamTabs(s, "/integrations"), Kinds: kindsOfIntegrations(), New: o.once(),
	}
	for _, one := range found {
		model.Integrations = append(model.Integrations, p.integrationOf(s, one))
	}
	return p.show(w, o.Status(), "integrations", s.frame("Integrations", "team", model))
}

func (p *Pages) addIntegration(r *http.Request, s *scene, form url.Values) (any, error) {
	made, secret, err := p.deps.Integrations.Create(r.Context(), s.Caller.UserID, s.account.ID, hooks.NewIntegration{
		Kind: form.Get("kind"), Name: form.Get("name"), CreateCompanies: form.Has("create_companies"),
	})
	return p.secretOf(s, made, secret), err
}

// secretOf shows the secret of an integration, and where to send.
func (p *Pages) secretOf(s *scene, made hooks.Integration, secret string) once {
	name := excerpt(made.Name, shownName)
	return once{
		Title: "The integration " + name,
		Text:  "Give these to the service that sends. The secret is not shown again.",
		Values: []choice{
			{p.integrationOf(s, made).URL, "the address of " + name}, {secret, "the secret of " + name},
		},
	}
}

// changeIntegration changes the name and what becomes of what comes in; an empty key leaves the one that there is.
func (p *Pages) changeIntegration(r *http.Request, s *scene, form url.Values) (any, error) {
	id, err := pathID(r, "integration")
	if err != nil {
		return nil, err
	}
	change := hooks.Change{Name: new(form.Get("name")), CreateCompanies: new(form.Has("create_companies"))}
	if form.Has("no_signing_key") {
		change.SigningKey = new((*string)(nil))
	} else if signing := given(form, "signing_key"); signing != nil {
		change.SigningKey = &signing
	}
	_, err = p.deps.Integrations.Change(r.Context(), s.Caller.UserID, s.account.ID, id, change)
	return nil, err
}

func (p *Pages) switchIntegration(r *http.Request, s *scene, form url.Values) (any, error) {
	id, err := pathID(r, "integration")
	if err != nil {
		return nil, err
	}
	change := hooks.Change{Enabled: new(form.Get("enabled") == "true")}
	_, err = p.deps.Integrations.Change(r.Context(), s.Caller.UserID, s.account.ID, id, change)
	return nil, err
}

func (p *Pages) rotateIntegration(r *http.Request, s *scene, _ url.Values) (any, error) {
	id, err := pathID(r, "integration")
	if err != nil {
		return nil, err
	}
	rotated, secret, err := p.deps.Integrations.Rotate(r.Context(), s.Caller.UserID, s.account.ID, id)
	return p.secretOf(s, rotated, secret), err
}

// tryIntegration shows what would become of an example of what the integration's service sends.
func (p *Pages) tryIntegration(r *http.Request, s *scene, _ url.Values) (any, error) {
	id, err := pathID(r, "integration")
	if err != nil {
		return nil, err
	}
	trial, err := p.deps.Integrations.Try(r.Context(), s.Caller.UserID, s.account.ID, id)
	if err != nil {
		return nil, err
	}
	shown := once{
		Title: excerpt(trial.Integration.Name, shownName) + " works",
		Text: "An example took the way that real ones take: its signature was checked, it was read and written. Nothing " +
			"of it was kept.",
		Lines: trial.Answers,
	}
	if trial.Mail != nil {
		shown.Lines = []string{
			"From: " + trial.Mail.FromName + " <" + trial.Mail.FromEmail + ">", "Subject: " + text(trial.Mail.Subject),
			trial.Mail.Content,
		}
	}
	shown.Lines = append(shown.Lines, map[bool]string{
		true: "A company would be made of it.", false: "No company would be made of it, as this integration is set.",
	}[trial.Company])
	return shown, nil
}

// deleteIntegration deletes an integration that may be gone meanwhile.
func (p *Pages) deleteIntegration(r *http.Request, s *scene, _ url.Values) (any, error) {
	id, err := pathID(r, "integration")
	if err != nil {
		return nil, err
	}
	return nil, unlessGone(p.deps.Integrations.Delete(r.Context(), s.Caller.UserID, s.account.ID, id))
}

// receiptsPage shows what an integration sent that was not taken in at once.
func (p *Pages) receiptsPage(w http.ResponseWriter, r *http.Request, s *scene) error {
	id, err := pathID(r, "integration")
	if err != nil {
		return err
	}
	page, pager := pageOf(r, receiptsSize)
	receipts, next, err := p.deps.Integrations.Receipts(r.Context(), s.Who, s.account.ID, id, page)
	if err != nil {
		return err
	}
	all, _, err := p.deps.Integrations.List(r.Context(), s.Who, s.account.ID, postgres.FirstPage(integrationsSize))
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(one hooks.Integration) bool { return one.ID == id })
	if at < 0 {
		return notFound()
	}
	pager.end(r, next)
	model := receiptList{
		integration: p.integrationOf(s, all[at]), Tabs: teamTabs(s, "/integrations"), Receipts: receipts, Pager: pager,
	}
	return p.show(w, http.StatusOK, "receipts", s.frame(all[at].Name, "team", model))
}
