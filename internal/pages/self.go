package pages

import (
	"html/template"
	"net/http"
	"net/url"

	"dealflow/internal/account"
	"dealflow/internal/fault"
)

// SelfPath is where the pages of a person's own account begin.
const SelfPath = AppPath + "/me"

// sessionsSize is how many sessions a page shows.
const sessionsSize = 50

// self is the page of a person's own account.
type self struct {
	outcome

	Tabs     tabs
	Mails    bool              // the service sends mails
	Factor   bool              // a second factor is on
	New      account.NewFactor // that waits for its first code; zero for none
	Link     template.URL      // that opens an app with it
	QR       *qrCode           // that an app reads it from; nil for none
	Codes    recoveryCodes     // just made; none else
	Sessions []session
	Others   bool // there is another session than this one
	Pager    pager
}

// session is a login that lasts, as its user is shown it.
type session struct {
	account.Session

	Name    string // of the browser
	Current bool
}

func (p *Pages) selfRoutes() {
	p.keyRoutes()
	own := p.newDesk(p.user, SelfPath, p.selfPage)
	own.form("/password", "Your password is changed. All of your other sessions have ended.", p.changePassword)
	own.form("/verification", "A mail is on its way. Its link proves that the address is yours.", p.askVerification)
	own.form("/sessions/{session}/end", "That session has ended.", p.endSession)
	own.form("/sessions/others", "All of your other sessions have ended.", p.endOtherSessions)
	own.form("/factor/start", "", p.startFactor)
	own.form("/factor/confirm", "The second factor is on. Signing in needs a code from now on.", p.confirmFactor)
	own.form("/factor/stop", "The second factor is off. All of your other sessions have ended.", p.stopFactor)
}

func selfTabs() []tab {
	return []tab{{Label: "Account", URL: SelfPath}, {Label: "API keys", URL: keysPath}}
}

func (p *Pages) selfPage(w http.ResponseWriter, r *http.Request, s *scene, o outcome) error {
	model := self{outcome: o, Tabs: tabsOf("Your account", SelfPath, selfTabs()), Mails: p.deps.Accounts.SendsMails()}
	model.New, _ = o.Shown.(account.NewFactor)
	model.Link = template.URL(model.New.URL) //nolint:gosec // G203: made of an address, escaped, and a key of ours
	model.Codes, _ = o.Shown.(recoveryCodes)
	var err error
	if model.New.URL != "" {
		if model.QR, err = qrOf(model.New.URL); err != nil {
			return err
		}
	}
	if model.Factor, err = p.deps.Accounts.HasFactor(r.Context(), s.Caller.UserID); err != nil {
		return err
	}
	page, pager := pageOf(r, sessionsSize)
	sessions, next, err := p.deps.Accounts.Sessions(r.Context(), s.Who, page)
	if err != nil {
		return err
	}
	pager.end(r, next)
	model.Pager = pager
	for _, one := range sessions {
		current := one.ID == s.Caller.SessionID
		model.Sessions = append(model.Sessions, session{Session: one, Name: browserName(one.Device), Current: current})
		model.Others = model.Others || !current
	}
	return p.show(w, o.Status(), "self", s.frame("Your account", "", model))
}

func (p *Pages) changePassword(r *http.Request, s *scene, form url.Values) (any, error) {
	if form.Get("new_password") != form.Get("again") {
		return nil, fault.Field("new_password", "differs from what you gave the second time")
	}
	return nil, p.deps.Accounts.ChangePassword(
		r.Context(), s.Caller, form.Get("current_password"), form.Get("new_password"), s.Guard,
	)
}

func (p *Pages) askVerification(r *http.Request, s *scene, _ url.Values) (any, error) {
	return nil, p.deps.Accounts.AskVerification(r.Context(), s.Caller.UserID)
}

// endSession ends a session that may have ended meanwhile.
func (p *Pages) endSession(r *http.Request, s *scene, _ url.Values) (any, error) {
	id, err := pathID(r, "session")
	if err != nil {
		return nil, err
	}
	return nil, unlessGone(p.deps.Accounts.EndSession(r.Context(), s.Caller.UserID, id))
}

func (p *Pages) endOtherSessions(r *http.Request, s *scene, _ url.Values) (any, error) {
	return nil, p.deps.Accounts.EndOtherSessions(r.Context(), s.Caller)
}

// startFactor returns the secret of a second factor, which is active once a code of it is given.
func (p *Pages) startFactor(r *http.Request, s *scene, form url.Values) (any, error) {
	return p.deps.Accounts.StartFactor(r.Context(), s.Caller, form.Get("password"), s.Guard)
}

// recoveryCodes are shown once.
type recoveryCodes []string

func (p *Pages) confirmFactor(r *http.Request, s *scene, form url.Values) (any, error) {
	codes, err := p.deps.Accounts.ConfirmFactor(r.Context(), s.Caller, form.Get("code"))
	return recoveryCodes(codes), err
}

func (p *Pages) stopFactor(r *http.Request, s *scene, form url.Values) (any, error) {
	return nil, p.deps.Accounts.StopFactor(r.Context(), s.Caller, form.Get("password"), s.Guard)
}

// unlessGone returns nil where what was to be deleted is gone already.
func unlessGone(err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}
