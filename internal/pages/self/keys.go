package self

import (
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/apikey"
	"dealflow/internal/pages/formpage"
	"dealflow/internal/pages/frame"
)

// keysPath is the path of the page of a user's API keys.
const keysPath = ownPath + "/keys"

// keysSize is how many keys a page shows.
const keysSize = 50

// keyList has the data of the page of a user's API keys.
type keyList struct {
	formpage.Outcome

	Tabs   formpage.Tabs
	Keys   []key
	New    *formpage.Once
	Scopes []frame.Choice
	Pager  frame.Pager
}

// key is an API key as its owner sees it.
type key struct {
	apikey.Key

	Over bool // it has expired
}

func (p *pages) keyRoutes() {
	d := p.forms.Add(p.frame.User, keysPath, p.keysPage)
	d.Form("/add", "", p.addKey)
	d.Form("/{key}/revoke", "The key is revoked: it works no more.", formpage.WithID("key", p.revokeKey))
}

func keyScopes() []frame.Choice {
	return []frame.Choice{
		{Value: account.ScopeRead, Label: "Read: look at things"},
		{Value: account.ScopeWrite, Label: "Write: make, change and delete companies and what belongs to them"},
		{Value: account.ScopeAdmin, Label: "Admin: change the settings of teams, keys, passwords and sessions"},
	}
}

func (p *pages) keysPage(w http.ResponseWriter, r *http.Request, s *frame.Scene, o formpage.Outcome) error {
	if err := p.people.WriteUses(r.Context()); err != nil { // so that the list has the last uses
		return err
	}
	page, pager := frame.PageOf(r, keysSize)
	found, next, err := p.keys.List(r.Context(), s.Who, page)
	if err != nil {
		return err
	}
	pager.End(r, next != nil)
	model := keyList{
		Outcome: o, Tabs: formpage.TabsOf("Your account", keysPath, selfTabs()), New: o.Once(), Scopes: keyScopes(),
		Pager: pager,
	}
	for _, one := range found {
		over := one.ExpiresAt != nil && !one.ExpiresAt.After(p.now())
		model.Keys = append(model.Keys, key{Key: one, Over: over})
	}
	return p.frame.Show(w, o.Status(), "keys", s.Page("API keys", "", model))
}

func (p *pages) addKey(r *http.Request, s *frame.Scene, form url.Values) (any, error) {
	in := apikey.Draft{Name: form.Get("name"), Scopes: append([]string{}, form["scope"]...)}
	var err error
	if in.ExpiresAt, err = frame.DayEnd(form, "until"); err != nil {
		return nil, err
	}
	made, full, err := p.keys.Issue(r.Context(), s.Caller, in)
	name := formpage.ShortName(made.Name)
	return formpage.Once{
		Title: "The key " + name, Text: "Keep it where you keep passwords. It is not shown again.",
		Values: []frame.Choice{{Value: full, Label: "the key " + name}},
	}, err
}

// revokeKey deletes a key. A key that was deleted before is not an error.
func (p *pages) revokeKey(r *http.Request, s *frame.Scene, id uuid.UUID, _ url.Values) (any, error) {
	return nil, formpage.UnlessGone(p.keys.Delete(r.Context(), s.Caller.UserID, id))
}
