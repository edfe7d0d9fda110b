package pages

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"dealflow/internal/account"
)

// teamPath is where the settings of an account are.
const teamPath = "/app/{account}/team"

// membersSize is how many members a page shows.
const membersSize = 100

// team is the page of who belongs to an account.
type team struct {
	outcome

	Tabs        tabs
	Members     []teamMember
	Invitations []invited
	Roles       []choice // that the visitor may give; none for who may not
	New         *once    // an invitation that was made, where no mail brings it
	Pager       pager
}

// teamMember is a member as the team's page shows them.
type teamMember struct {
	account.Member

	Self      bool
	Removable bool     // by the visitor, themselves among them
	Roles     []choice // that the visitor may give them; none for who may not
}

// invited is an invitation that can be accepted.
type invited struct {
	account.Invitation

	Mine bool // the visitor may make it anew, or take it back
}

func (p *Pages) teamRoutes() {
	d := p.newDesk(p.member, teamPath, p.teamPage)
	d.form("/invite", "The invitation is on its way by mail.", p.invite)
	d.form("/invitations/{invitation}/revoke", "The invitation is revoked: its link works no more.", p.revokeInvitation)
	d.form("/members/{member}/role", "The role is changed.", p.changeRole)
	d.form("/members/{member}/remove", "The member is removed, and sees nothing of this team any more.", p.removeMember)
	p.statusRoutes()
	p.fieldRoutes()
	p.integrationRoutes()
	p.webhookRoutes()
	p.auditRoutes()
}

// teamTabs leads to those pages of the team's settings that the visitor may see.
func teamTabs(s *scene, here string) tabs {
	base := s.base() + "/team"
	all := []tab{
		{Label: "Members", URL: base},
		{Label: "Statuses", URL: base + "/statuses"},
		{Label: "Fields", URL: base + "/fields"},
	}
	if s.isAdmin() {
		all = append(all, tab{Label: "Integrations", URL: base + "/integrations"},
			tab{Label: "Webhooks", URL: base + "/webhooks"}, tab{Label: "Audit log", URL: base + "/audit"})
	}
	return tabsOf("Settings of the team", base+here, all)
}

func (p *Pages) teamPage(w http.ResponseWriter, r *http.Request, s *scene, o outcome) error {
	page, pager := pageOf(r, membersSize)
	found, err := p.deps.Accounts.Team(r.Context(), s.Who, s.account.ID, page)
	if err != nil {
		return err
	}
	pager.end(r, found.Next)
	model := team{outcome: o, Tabs: teamTabs(s, ""), Pager: pager, Roles: rolesFor(s), New: o.once()}
	for _, one := range found.Members {
		self := one.UserID == s.Caller.UserID
		above := one.Role == account.RoleOwner && s.account.Role != account.RoleOwner
		shown := teamMember{Member: one, Self: self, Removable: self || s.isAdmin() && !above}
		if !above {
			shown.Roles = model.Roles
		}
		model.Members = append(model.Members, shown)
	}
	for _, one := range found.Invitations {
		above := one.Role == account.RoleOwner && s.account.Role != account.RoleOwner
		model.Invitations = append(model.Invitations, invited{Invitation: one, Mine: s.isAdmin() && !above})
	}
	return p.show(w, o.Status(), "team", s.frame("Team", "team", model))
}

// rolesFor returns the roles that the visitor may give to others.
func rolesFor(s *scene) []choice {
	roles := []choice{
		{account.RoleMember, "Member: works with companies"},
		{account.RoleAdmin, "Admin: changes these settings too"},
		{account.RoleOwner, "Owner: makes owners too"},
	}
	switch s.account.Role {
	case account.RoleOwner:
		return roles
	case account.RoleAdmin:
		return roles[:2]
	}
	return nil
}

// invite makes an invitation, or one anew for an address that has one, whose link works no more then.
func (p *Pages) invite(r *http.Request, s *scene, form url.Values) (any, error) {
	made, token, err := p.deps.Accounts.Invite(
		r.Context(), s.Caller.UserID, s.account.ID, form.Get("email"), form.Get("role"),
	)
	if err != nil || token == "" {
		return nil, err
	}
	return once{
		Title: "Invitation for " + made.Email,
		Text:  "Send this link to them. It works for seven days, and is not shown again.",
		Values: []choice{{
			p.deps.PublicURL + InvitationsPath + "/" + token, "the link of the invitation for " + made.Email,
		}},
	}, nil
}

// revokeInvitation takes back an invitation that may be gone meanwhile.
func (p *Pages) revokeInvitation(r *http.Request, s *scene, _ url.Values) (any, error) {
	id, err := pathID(r, "invitation")
	if err != nil {
		return nil, err
	}
	err = p.deps.Accounts.RevokeInvitation(r.Context(), s.Caller.UserID, s.account.ID, id)
	return nil, unlessGone(err)
}

func (p *Pages) changeRole(r *http.Request, s *scene, form url.Values) (any, error) {
	id, err := pathID(r, "member")
	if err != nil {
		return nil, err
	}
	_, err = p.deps.Accounts.ChangeRole(r.Context(), s.Caller.UserID, s.account.ID, id, form.Get("role"))
	return nil, err
}

// removeMember leads who has left the team to another.
func (p *Pages) removeMember(r *http.Request, s *scene, _ url.Values) (any, error) {
	id, err := pathID(r, "member")
	if err != nil {
		return nil, err
	}
	if err := p.deps.Accounts.RemoveMember(r.Context(), s.Caller.UserID, s.account.ID, id); err != nil {
		return nil, err
	}
	left, err := p.hasLeft(r, s)
	if left {
		return elsewhere(AppPath), err
	}
	return nil, err
}

func (p *Pages) hasLeft(r *http.Request, s *scene) (bool, error) {
	now, err := p.sceneOf(r.Context(), s.Visitor)
	if err != nil {
		return false, err
	}
	here := func(one account.Joined) bool { return one.ID == s.account.ID }
	return !slices.ContainsFunc(now.accounts, here), nil
}

// idOf returns the id that a form has under a name; nil where it has none.
func idOf(form url.Values, name string) (*uuid.UUID, error) {
	if form.Get(name) == "" {
		return nil, nil //nolint:nilnil // none is a value of its own
	}
	id, err := uuid.Parse(form.Get(name))
	if err != nil {
		return nil, notFound()
	}
	return &id, nil
}
