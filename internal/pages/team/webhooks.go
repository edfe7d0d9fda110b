package team

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"dealflow/internal/pages/formpage"
	"dealflow/internal/pages/frame"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/webhook"
)

// How many webhooks and deliveries a page shows. An account may not have more than webhooksSize webhooks.
const (
	webhooksSize   = 50
	deliveriesSize = 50
)

// webhookList has the data of the page of an account's webhooks.
type webhookList struct {
	formpage.Outcome

	Tabs     formpage.Tabs
	Webhooks []hook
	Events   []eventChoice
	New      *formpage.Once
}

// hook is a webhook as pages show it.
type hook struct {
	webhook.Webhook

	Page string
}

// Name returns the description of the webhook, or its URL.
func (h hook) Name() string {
	if h.Description != "" {
		return h.Description
	}
	return h.URL
}

// eventChoice is a type of event in a form.
type eventChoice struct {
	Type   string
	Chosen bool
}

// webhookReport has the data of the page of one webhook, with the log of its deliveries.
type webhookReport struct {
	formpage.Outcome
	hook

	Tabs       formpage.Tabs
	Events     []eventChoice
	State      string // of the deliveries that are shown; "" for all
	States     []frame.Choice
	Deliveries []webhook.Delivery
	New        *formpage.Once
	Pager      frame.Pager
}

func (p *pages) webhookRoutes() {
	const one = teamPath + "/webhooks/{webhook}"
	all := p.forms.Add(p.frame.Member, teamPath+"/webhooks", p.webhooksPage)
	all.Form("/add", "", p.addWebhook)
	all.Say("delete", "The webhook is deleted, and its log with it.")
	d := p.forms.Add(p.frame.Member, one, p.webhookPage)
	d.Form("/change", "The webhook is changed.", formpage.WithID("webhook", p.changeWebhook))
	d.Form("/switch", "The webhook is switched.", formpage.WithID("webhook", p.switchWebhook))
	d.Form("/rotate", "", formpage.WithID("webhook", p.rotateWebhook))
	d.Form("/test", "A test is on its way. The log shows what becomes of it.", formpage.WithID("webhook", p.testWebhook))
	d.Form("/replay", "What failed in the last day is sent again.", formpage.WithID("webhook", p.replayWebhook))
	d.Form("/deliveries/{delivery}/again", "It is sent again.", formpage.WithID("webhook", p.replayDelivery))
	d.Form("/delete", "", formpage.WithID("webhook", p.deleteWebhook))
}

func eventChoices(chosen []string) []eventChoice {
	var all []eventChoice
	for _, kind := range webhook.Types() {
		all = append(all, eventChoice{Type: kind, Chosen: slices.Contains(chosen, kind)})
	}
	return all
}

func (p *pages) webhooksOf(r *http.Request, s *frame.Scene) ([]hook, error) {
	found, _, err := p.deps.Webhooks.List(r.Context(), s.Who, s.Account.ID, paging.First(webhooksSize))
	hooks := make([]hook, len(found))
	for i, one := range found {
		hooks[i] = hook{Webhook: one, Page: s.Base() + "/team/webhooks/" + one.ID.String()}
	}
	return hooks, err
}

func (p *pages) webhooksPage(w http.ResponseWriter, r *http.Request, s *frame.Scene, o formpage.Outcome) error {
	found, err := p.webhooksOf(r, s)
	if err != nil {
		return err
	}
	model := webhookList{
		Outcome: o, Tabs: teamTabs(s, "/webhooks"), Webhooks: found, Events: eventChoices(o.Sent["event"]), New: o.Once(),
	}
	return p.frame.Show(w, o.Status(), "webhooks", s.Page("Webhooks", "team", model))
}

func (p *pages) webhookPage(w http.ResponseWriter, r *http.Request, s *frame.Scene, o formpage.Outcome) error {
	id, err := frame.PathID(r, "webhook")
	if err != nil {
		return err
	}
	found, err := p.webhooksOf(r, s)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(found, func(one hook) bool { return one.ID == id })
	if at < 0 {
		return frame.NotFound()
	}
	page, pager := frame.PageOf(r, deliveriesSize)
	model := webhookReport{
		Outcome: o, hook: found[at], Tabs: teamTabs(s, "/webhooks"), Events: eventChoices(found[at].EventTypes),
		New: o.Once(),
		States: []frame.Choice{
			{Value: webhook.Pending, Label: "Under way"},
			{Value: webhook.Delivered, Label: "Delivered"},
			{Value: webhook.Failed, Label: "Failed"},
		},
	}
	for _, state := range model.States {
		if state.Value == r.URL.Query().Get("state") {
			model.State = state.Value
		}
	}
	log, next, err := p.deps.Webhooks.Deliveries(r.Context(), s.Who, s.Account.ID, id, model.State, page)
	if err != nil {
		return err
	}
	pager.End(r, next != nil)
	model.Deliveries, model.Pager = log, pager
	return p.frame.Show(w, o.Status(), "webhook", s.Page(model.Name(), "team", model))
}

func (p *pages) addWebhook(r *http.Request, s *frame.Scene, form url.Values) (any, error) {
	made, secret, err := p.deps.Webhooks.Create(r.Context(), s.Caller.UserID, s.Account.ID, webhook.Draft{
		URL: form.Get("url"), Description: form.Get("description"), EventTypes: append([]string{}, form["event"]...),
	})
	return secretOfWebhook(made, secret), err
}

// secretOfWebhook returns a Once with the secret that signs the messages of a webhook.
func secretOfWebhook(made webhook.Webhook, secret string) formpage.Once {
	name := formpage.ShortName(hook{Webhook: made}.Name())
	return formpage.Once{
		Title: "The webhook " + name, Text: "Messages are signed with this secret. It is not shown again.",
		Values: []frame.Choice{{Value: secret, Label: "the secret of " + name}},
	}
}

func (p *pages) changeWebhook(r *http.Request, s *frame.Scene, id uuid.UUID, form url.Values) (any, error) {
	_, err := p.deps.Webhooks.Change(r.Context(), s.Caller.UserID, s.Account.ID, id, webhook.Change{
		URL: changed(form, "url"), Description: new(form.Get("description")),
		EventTypes: new(append([]string{}, form["event"]...)),
	})
	return nil, err
}

// changed returns the text that a form has under name. It returns nil if the visitor did not change it: the form has
// the text that it was shown with under "was_" followed by name.
func changed(form url.Values, name string) *string {
	if form.Get(name) == form.Get("was_"+name) {
		return nil
	}
	return new(form.Get(name))
}

func (p *pages) switchWebhook(r *http.Request, s *frame.Scene, id uuid.UUID, form url.Values) (any, error) {
	change := webhook.Change{Enabled: new(form.Get("enabled") == "true")}
	_, err := p.deps.Webhooks.Change(r.Context(), s.Caller.UserID, s.Account.ID, id, change)
	return nil, err
}

func (p *pages) rotateWebhook(r *http.Request, s *frame.Scene, id uuid.UUID, _ url.Values) (any, error) {
	rotated, secret, err := p.deps.Webhooks.Rotate(r.Context(), s.Caller.UserID, s.Account.ID, id)
	return secretOfWebhook(rotated, secret), err
}

func (p *pages) testWebhook(r *http.Request, s *frame.Scene, id uuid.UUID, _ url.Values) (any, error) {
	_, err := p.deps.Webhooks.Test(r.Context(), s.Caller.UserID, s.Account.ID, id)
	return nil, err
}

// replayWebhook queues again the messages of a webhook that have failed and are at most a day old: at most as many as
// webhook.Service.Replay queues at once.
func (p *pages) replayWebhook(r *http.Request, s *frame.Scene, id uuid.UUID, _ url.Values) (any, error) {
	since := p.deps.Now().AddDate(0, 0, -1)
	_, err := p.deps.Webhooks.Replay(r.Context(), s.Caller.UserID, s.Account.ID, id, since, true)
	return nil, err
}

func (p *pages) replayDelivery(r *http.Request, s *frame.Scene, id uuid.UUID, _ url.Values) (any, error) {
	delivery, err := frame.PathID(r, "delivery")
	if err != nil {
		return nil, err
	}
	_, err = p.deps.Webhooks.ReplayOne(r.Context(), s.Caller.UserID, s.Account.ID, id, delivery)
	return nil, err
}

// deleteWebhook deletes a webhook, and redirects to the page of all webhooks. A webhook that was deleted before is not
// an error.
func (p *pages) deleteWebhook(r *http.Request, s *frame.Scene, id uuid.UUID, _ url.Values) (any, error) {
	err := formpage.UnlessGone(p.deps.Webhooks.Delete(r.Context(), s.Caller.UserID, s.Account.ID, id))
	return formpage.Elsewhere(s.Base() + "/team/webhooks?done=delete"), err
}
