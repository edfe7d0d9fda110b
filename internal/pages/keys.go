package pages

import (
	"net/http"
	"net/url"
	"time"

	"dealflow/internal/account"
	"dealflow/internal/account/apikey"
	"dealflow/internal/fault"
)

// keysPath is where a person keeps their API keys.
const keysPath = SelfPath + "/keys"

// keysSize is how many keys a page shows.
const keysSize = 50

// keyList is the page of a person's API keys.
type keyList struct {
	outcome

	Tabs   tabs
	Keys   []key
	New    *once
	Scopes []choice
	Pager  pager
}

// key is an API key as its owner is shown it.
type key struct {
	apikey.Key

	Over bool // it has expired
}

func (p *Pages) keyRoutes() {
	d := p.newDesk(p.user, keysPath, p.keysPage)
	d.form("/add", "", p.addKey)
	d.form("/{key}/revoke", "The key is revoked: it works no more.", p.revokeKey)
}

func keyScopes() []choice {
	return []choice{
		{account.ScopeRead, "Read: look at things"},
		{account.ScopeWrite, "Write: make, change and delete companies and what belongs to them"},
		{account.ScopeAdmin, "Admin: change the settings of teams, keys, passwords and sessions"},
	}
}

func (p *Pages) keysPage(w http.ResponseWriter, r *http.Request, s *scene, o outcome) error {
	if err := p.deps.Accounts.WriteUses(r.Context()); err != nil { // so that they are seen now
		return err
	}
	page, pager := pageOf(r, keysSize)
	found, next, err := p.deps.Keys.List(r.Context(), s.Who, page)
	if err != nil {
		return err
	}
	pager.end(r, next)
	model := keyList{
		outcome: o, Tabs: tabsOf("Your account", keysPath, selfTabs()), New: o.once(), Scopes: keyScopes(), Pager: pager,
	}
	for _, one := range found {
		over := one.ExpiresAt != nil && !one.ExpiresAt.After(p.deps.Now())
		model.Keys = append(model.Keys, key{Key: one, Over: over})
	}
	return p.show(w, o.Status(), "keys", s.frame("API keys", "", model))
}

func (p *Pages) addKey(r *http.Request, s *scene, form url.Values) (any, error) {
	in := apikey.Draft{Name: form.Get("name"), Scopes: append([]string{}, form["scope"]...)}
	var err error
	if in.ExpiresAt, err = endOf(form, "until"); err != nil {
		return nil, err
	}
	made, full, err := p.deps.Keys.Issue(r.Context(), s.Caller, in)
	name := excerpt(made.Name, shownName)
	return once{
		Title: "The key " + name, Text: "Keep it where you keep passwords. It is not shown again.",
		Values: []choice{{full, "the key " + name}},
	}, err
}

// endOf returns the end of a day of a form; nil where it has none.
func endOf(form url.Values, name string) (*time.Time, error) {
	if form.Get(name) == "" {
		return nil, nil //nolint:nilnil // none is a value of its own
	}
	day, err := time.Parse(time.DateOnly, form.Get(name))
	if err != nil {
		return nil, fault.Field(name, "must be a day such as 2026-12-31")
	}
	return new(day.AddDate(0, 0, 1).Add(-time.Second)), nil
}

// revokeKey deletes a key that may be gone meanwhile.
func (p *Pages) revokeKey(r *http.Request, s *scene, _ url.Values) (any, error) {
	id, err := pathID(r, "key")
	if err != nil {
		return nil, err
	}
	return nil, unlessGone(p.deps.Keys.Delete(r.Context(), s.Caller.UserID, id))
}
