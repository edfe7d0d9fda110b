package pages

import (
	"net/http"
	"net/url"
	"slices"

	"dealflow/internal/postgres"
	"dealflow/internal/webhook"
)

// How many webhooks and deliveries a page shows. The first is as many as an account may have.
const (
	webhooksSize   = 50
	deliveriesSize = 50
)

// webhookList is the page of what is sent of an account's changes.
type webhookList struct {
	outcome

	Tabs     tabs
	Webhooks []hook
	Events   []eventChoice
	New      *once
}

// hook is a webhook as people are shown it.
type hook struct {
	webhook.Webhook

	Page string
}

// Name returns what people call the webhook.
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

// webhookReport is the page of one webhook, with its log.
type webhookReport struct {
	outcome
	hook

	Tabs       tabs
	Events     []eventChoice
	State      string // of the deliveries that are shown; "" for all
	States     []choice
	Deliveries []webhook.Delivery
	New        *once
	Pager      pager
}

func (p *Pages) webhookRoutes() {
	const one = teamPath + "/webhooks/{webhook}"
	all := p.newDesk(p.member, teamPath+"/webhooks", p.webhooksPage)
	all.form("/add", "", p.addWebhook)
	all.done["delete"] = "The webhook is deleted, and its log with it."
	d := p.newDesk(p.member, one, p.webhookPage)
	d.form("/change", "The webhook is changed.", p.changeWebhook)
	d.form("/switch", "The webhook is switched.", p.switchWebhook)
	d.form("/rotate", "", p.rotateWebhook)
	d.form("/test", "A test is on its way. The log shows what becomes of it.", p.testWebhook)
	d.form("/replay", "What failed in the last day is sent again.", p.replayWebhook)
	d.form("/deliveries/{delivery}/again", "It is sent again.", p.replayDelivery)
	d.form("/delete", "", p.deleteWebhook)
}

func eventChoices(chosen []string) []eventChoice {
	var all []eventChoice
	for _, kind := range webhook.Types() {
		all = append(all, eventChoice{Type: kind, Chosen: slices.Contains(chosen, kind)})
	}
	return all
}

func (p *Pages) webhooksOf(r *http.Request, s *scene) ([]hook, error) {
	found, _, err := p.deps.Webhooks.List(r.Context(), s.Who, s.account.ID, postgres.FirstPage(webhooksSize))
	hooks := make([]hook, len(found))
	for i, one := range found {
		hooks[i] = hook{Webhook: one, Page: s.base() + "/team/webhooks/" + one.ID.String()}
	}
	return hooks, err
}

func (p *Pages) webhooksPage(w http.ResponseWriter, r *http.Request, s *scene, o outcome) error {
	found, err := p.webhooksOf(r, s)
	if err != nil {
		return err
	}
	model := webhookList{
		outcome: o, Tabs: teamTabs(s, "/webhooks"), Webhooks: found, Events: eventChoices(o.Sent["event"]), New: o.once(),
	}
	return p.show(w, o.Status(), "webhooks", s.frame("Webhooks", "team", model))
}

func (p *Pages) webhookPage(w http.ResponseWriter, r *http.Request, s *scene, o outcome) error {
	id, err := pathID(r, "webhook")
	if err != nil {
		return err
	}
	found, err := p.webhooksOf(r, s)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(found, func(one hook) bool { return one.ID == id })
	if at < 0 {
		return notFound()
	}
	page, pager := pageOf(r, deliveriesSize)
	model := webhookReport{
		outcome: o, hook: found[at], Tabs: teamTabs(s, "/webhooks"), Events: eventChoices(found[at].EventTypes),
		New:    o.once(),
		States: []choice{{webhook.Pending, "Under way"}, {webhook.Delivered, "Delivered"}, {webhook.Failed, "Failed"}},
	}
	for _, state := range model.States {
		if state.Value == r.URL.Query().Get("state") {
			model.State = state.Value
		}
	}
	log, next, err := p.deps.Webhooks.Deliveries(r.Context(), s.Who, s.account.ID, id, model.State, page)
	if err != nil {
		return err
	}
	pager.end(r, next)
	model.Deliveries, model.Pager = log, pager
	return p.show(w, o.Status(), "webhook", s.frame(model.Name(), "team", model))
}

func (p *Pages) addWebhook(r *http.Request, s *scene, form url.Values) (any, error) {
	made, secret, err := p.deps.Webhooks.Create(r.Context(), s.Caller.UserID, s.account.ID, webhook.Draft{
		URL: form.Get("url"), Description: form.Get("description"), EventTypes: append([]string{}, form["event"]...),
	})
	return secretOfWebhook(made, secret), err
}

// secretOfWebhook shows the secret by which a receiver knows that a message is ours.
func secretOfWebhook(made webhook.Webhook, secret string) once {
	name := excerpt(hook{Webhook: made}.Name(), shownName)
	return once{
		Title: "The webhook " + name, Text: "Messages are signed with this secret. It is not shown again.",
		Values: []choice{{secret, "the secret of " + name}},
	}
}

func (p *Pages) changeWebhook(r *http.Request, s *scene, form url.Values) (any, error) {
	return nil, p.writeWebhook(r, s, webhook.Change{
		URL: changed(form, "url"), Description: new(form.Get("description")),
		EventTypes: new(append([]string{}, form["event"]...)),
	})
}

// changed returns a text that differs from the one that the form was shown with; nil where it is the same.
func changed(form url.Values, name string) *string {
	if form.Get(name) == form.Get("was_"+name) {
		return nil
	}
	return new(form.Get(name))
}

func (p *Pages) switchWebhook(r *http.Request, s *scene, form url.Values) (any, error) {
	return nil, p.writeWebhook(r, s, webhook.Change{Enabled: new(form.Get("enabled") == "true")})
}

func (p *Pages) writeWebhook(r *http.Request, s *scene, change webhook.Change) error {
	id, err := pathID(r, "webhook")
	if err != nil {
		return err
	}
	_, err = p.deps.Webhooks.Change(r.Context(), s.Caller.UserID, s.account.ID, id, change)
	return err
}

func (p *Pages) rotateWebhook(r *http.Request, s *scene, _ url.Values) (any, error) {
	id, err := pathID(r, "webhook")
	if err != nil {
		return nil, err
	}
	rotated, secret, err := p.deps.Webhooks.Rotate(r.Context(), s.Caller.UserID, s.account.ID, id)
	return secretOfWebhook(rotated, secret), err
}

func (p *Pages) testWebhook(r *http.Request, s *scene, _ url.Values) (any, error) {
	id, err := pathID(r, "webhook")
	if err != nil {
		return nil, err
	}
	_, err = p.deps.Webhooks.Test(r.Context(), s.Caller.UserID, s.account.ID, id)
	return nil, err
}

// replayWebhook sends again what failed in the last day: that long a message is tried.
func (p *Pages) replayWebhook(r *http.Request, s *scene, _ url.Values) (any, error) {
	id, err := pathID(r, "webhook")
	if err != nil {
		return nil, err
	}
	since := p.deps.Now().AddDate(0, 0, -1)
	_, err = p.deps.Webhooks.Replay(r.Context(), s.Caller.UserID, s.account.ID, id, since, true)
	return nil, err
}

func (p *Pages) replayDelivery(r *http.Request, s *scene, _ url.Values) (any, error) {
	id, err := pathID(r, "webhook")
	if err != nil {
		return nil, err
	}
	delivery, err := pathID(r, "delivery")
	if err != nil {
		return nil, err
	}
	_, err = p.deps.Webhooks.ReplayOne(r.Context(), s.Caller.UserID, s.account.ID, id, delivery)
	return nil, err
}

// deleteWebhook deletes a webhook that may be gone meanwhile, and leads to the others.
func (p *Pages) deleteWebhook(r *http.Request, s *scene, _ url.Values) (any, error) {
	id, err := pathID(r, "webhook")
	if err != nil {
		return nil, err
	}
	err = unlessGone(p.deps.Webhooks.Delete(r.Context(), s.Caller.UserID, s.account.ID, id))
	return elsewhere(s.base() + "/team/webhooks?done=delete"), err
}
