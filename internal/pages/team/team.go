// Package team has the pages for the settings of an account: members, statuses, fields, integrations, webhooks and the
// audit log.
package team

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/audit"
	"dealflow/internal/ingest/hooks"
	"dealflow/internal/pages/formpage"
	"dealflow/internal/pages/frame"
	"dealflow/internal/pipeline"
	"dealflow/internal/webhook"
)

// teamPath is the path of the page of an account's members. The paths of the other pages of its settings begin with
// teamPath.
const teamPath = "/app/{account}/team"

// membersSize is how many members a page shows.
const membersSize = 100

// team has the data of the page of the members of an account.
type team struct {
	formpage.Outcome

	Tabs        formpage.Tabs
	Members     []teamMember
	Invitations []invited
	Roles       []frame.Choice // that the visitor may give to others; nil for none
	New         *formpage.Once // the link of an invitation that was just made, if no mail has it
	Pager       frame.Pager
}

// teamMember is a member as the team's page shows them.
type teamMember struct {
	account.Member

	Self      bool
	Removable bool           // the visitor may remove them; true for the visitor themselves
	Roles     []frame.Choice // that the visitor may give them; nil for none
}

// invited is an invitation that was not accepted yet.
type invited struct {
	account.Invitation

	MailFailed bool // its mail was given up
	Mine       bool // the visitor may renew or revoke it
}

// Deps are the dependencies of the settings of an account. All are required.
type Deps struct {
	Accounts     *account.Service
	SignIn       *signin.Service
	Pipelines    *pipeline.Service
	Integrations *hooks.Service
	Webhooks     *webhook.Service
	Audit        *audit.Log
	Now          func() time.Time
}

type pages struct {
	frame *frame.Server
	forms *formpage.Pages
	deps  Deps
}

// Serve adds the pages of an account's settings, and their forms, to the server.
func Serve(on *frame.Server, forms *formpage.Pages, deps Deps) {
	p := &pages{frame: on, forms: forms, deps: deps}
	d := forms.Add(on.Member, teamPath, p.teamPage)
	d.Form("/invite", "The invitation is on its way by mail.", p.invite)
	d.Form("/invitations/{invitation}/revoke", "The invitation is revoked: its link works no more.",
		formpage.WithID("invitation", p.revokeInvitation))
	d.Form("/members/{member}/role", "The role is changed.", formpage.WithID("member", p.changeRole))
	d.Form("/members/{member}/remove", "The member is removed, and sees nothing of this team any more.",
		formpage.WithID("member", p.removeMember))
	p.statusRoutes()
	p.fieldRoutes()
	p.integrationRoutes()
	p.webhookRoutes()
	on.Member("GET "+teamPath+"/audit", p.auditPage)
}

// teamTabs returns links to the pages of the account's settings that the visitor may see. here is the path of the
// present page after teamPath, such as "/fields".
func teamTabs(s *frame.Scene, here string) formpage.Tabs {
	base := s.Base() + "/team"
	all := []formpage.Tab{
		{Label: "Members", URL: base},
		{Label: "Statuses", URL: base + "/statuses"},
		{Label: "Fields", URL: base + "/fields"},
	}
	if s.IsAdmin() {
		all = append(all, formpage.Tab{Label: "Integrations", URL: base + "/integrations"},
			formpage.Tab{Label: "Webhooks", URL: base + "/webhooks"}, formpage.Tab{Label: "Audit log", URL: base + "/audit"})
	}
	return formpage.TabsOf("Settings of the team", base+here, all)
}

func (p *pages) teamPage(w http.ResponseWriter, r *http.Request, s *frame.Scene, o formpage.Outcome) error {
	page, pager := frame.PageOf(r, membersSize)
	found, err := p.deps.Accounts.Team(r.Context(), s.Who, s.Account.ID, page)
	if err != nil {
		return err
	}
	pager.End(r, found.Next != nil)
	model := team{Outcome: o, Tabs: teamTabs(s, ""), Pager: pager, Roles: rolesFor(s), New: o.Once()}
	for _, one := range found.Members {
		self := one.UserID == s.Caller.UserID
		above := one.Role == account.RoleOwner && s.Account.Role != account.RoleOwner
		shown := teamMember{Member: one, Self: self, Removable: self || s.IsAdmin() && !above}
		if !above {
			shown.Roles = model.Roles
		}
		model.Members = append(model.Members, shown)
	}
	for _, one := range found.Invitations {
		above := one.Role == account.RoleOwner && s.Account.Role != account.RoleOwner
		model.Invitations = append(model.Invitations,
			invited{Invitation: one.Invitation, MailFailed: one.MailFailed, Mine: s.IsAdmin() && !above})
	}
	return p.frame.Show(w, o.Status(), "team", s.Page("Team", "team", model))
}

// rolesFor returns the roles that the visitor may give to others; nil for a member, who may give none.
func rolesFor(s *frame.Scene) []frame.Choice {
	roles := []frame.Choice{
		{Value: account.RoleMember, Label: "Member: works with companies"},
		{Value: account.RoleAdmin, Label: "Admin: changes these settings too"},
		{Value: account.RoleOwner, Label: "Owner: makes owners too"},
	}
	switch s.Account.Role {
	case account.RoleOwner:
		return roles
	case account.RoleAdmin:
		return roles[:2]
	}
	return nil
}

// invite creates an invitation. If the address has an invitation already, the new one replaces it, and the old link
// becomes invalid. If no mail is sent, invite returns the link as a Once.
func (p *pages) invite(r *http.Request, s *frame.Scene, form url.Values) (any, error) {
	made, token, err := p.deps.Accounts.Invite(
		r.Context(), s.Caller.UserID, s.Account.ID, form.Get("email"), form.Get("role"),
	)
	if err != nil || token == "" {
		return nil, err
	}
	return formpage.Once{
		Title: "Invitation for " + made.Email,
		Text:  "Send this link to them. It works for seven days, and is not shown again.",
		Values: []frame.Choice{{
			Value: p.frame.Address(frame.InvitationsPath + "/" + token), Label: "the link of the invitation for " + made.Email,
		}},
	}, nil
}

// revokeInvitation revokes an invitation. An invitation that was revoked before is not an error.
func (p *pages) revokeInvitation(r *http.Request, s *frame.Scene, id uuid.UUID, _ url.Values) (any, error) {
	err := p.deps.Accounts.RevokeInvitation(r.Context(), s.Caller.UserID, s.Account.ID, id)
	return nil, formpage.UnlessGone(err)
}

func (p *pages) changeRole(r *http.Request, s *frame.Scene, id uuid.UUID, form url.Values) (any, error) {
	_, err := p.deps.Accounts.ChangeRole(r.Context(), s.Caller.UserID, s.Account.ID, id, form.Get("role"))
	return nil, err
}

// removeMember removes a member. A visitor who removes themselves is redirected to AppPath, since they may no longer
// see the page. The errors are those of account.Service.RemoveMember and account.Service.Self.
func (p *pages) removeMember(r *http.Request, s *frame.Scene, id uuid.UUID, _ url.Values) (any, error) {
	if err := p.deps.Accounts.RemoveMember(r.Context(), s.Caller.UserID, s.Account.ID, id); err != nil {
		return nil, err
	}
	left, err := p.hasLeft(r, s)
	if left {
		return formpage.Elsewhere(frame.AppPath), err
	}
	return nil, err
}

func (p *pages) hasLeft(r *http.Request, s *frame.Scene) (bool, error) {
	now, err := p.deps.Accounts.Self(r.Context(), s.Who)
	if err != nil {
		return false, err
	}
	here := func(one account.Joined) bool { return one.ID == s.Account.ID }
	return !slices.ContainsFunc(now.Accounts, here), nil
}

// idOf returns the id that a form has under a name; nil if the form has none. The error is NotFound for a text that is
// not an id.
func idOf(form url.Values, name string) (*uuid.UUID, error) {
	if form.Get(name) == "" {
		return nil, nil //nolint:nilnil // nil means none
	}
	id, err := uuid.Parse(form.Get(name))
	if err != nil {
		return nil, frame.NotFound()
	}
	return &id, nil
}
