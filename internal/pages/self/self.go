// Package self has the pages of the user's own account: password, sessions, second factor and API keys.
package self

import (
	"html/template"
	"net/http"
	"net/url"
	"time"

	"dealflow/internal/account/apikey"
	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/pages/formpage"
	"dealflow/internal/pages/frame"
)

// ownPath is the path of the page of the user's own account. The paths of the other pages about it begin with ownPath.
const ownPath = frame.AppPath + "/me"

// sessionsSize is how many sessions a page shows.
const sessionsSize = 50

// self has the data of the page of the user's own account.
type self struct {
	formpage.Outcome

	Tabs     formpage.Tabs
	Mails    bool             // the service sends mails
	Factor   bool             // a second factor is on
	New      signin.NewFactor // a second factor that waits for its first code; zero for none
	Link     template.URL     // opens an authenticator app with New
	QR       *qrCode          // from which an app reads New; nil for none
	Codes    formpage.Codes   // recovery codes that were just made; nil for none
	Sessions []session
	Others   bool // there is another session than this one
	Pager    frame.Pager
}

// session is a session that has not ended, as its user sees it.
type session struct {
	signin.Session

	Name    string // of the browser
	Current bool
}

type pages struct {
	frame  *frame.Server
	forms  *formpage.Pages
	people *signin.Service
	keys   *apikey.Service
	now    func() time.Time
}

// Serve adds the pages of the user's own account, with their forms, to the server.
func Serve(
	on *frame.Server, forms *formpage.Pages, people *signin.Service, keys *apikey.Service, now func() time.Time,
) {
	p := &pages{frame: on, forms: forms, people: people, keys: keys, now: now}
	p.keyRoutes()
	own := forms.Add(on.User, ownPath, p.selfPage)
	own.Form("/password", "Your password is changed. All of your other sessions have ended.", p.changePassword)
	own.Form("/verification", "A mail is on its way. Its link proves that the address is yours.", p.askVerification)
	own.Form("/sessions/{session}/end", "That session has ended.", formpage.WithID("session", p.endSession))
	own.Form("/sessions/others", "All of your other sessions have ended.", p.endOtherSessions)
	own.Form("/factor/start", "", p.startFactor)
	own.Form("/factor/confirm", "The second factor is on. Signing in needs a code from now on.", p.confirmFactor)
	own.Form("/factor/stop", "The second factor is off. All of your other sessions have ended.", p.stopFactor)
}

func selfTabs() []formpage.Tab {
	return []formpage.Tab{{Label: "Account", URL: ownPath}, {Label: "API keys", URL: keysPath}}
}

func (p *pages) selfPage(w http.ResponseWriter, r *http.Request, s *frame.Scene, o formpage.Outcome) error {
	model := self{Outcome: o, Tabs: formpage.TabsOf("Your account", ownPath, selfTabs()), Mails: p.people.SendsMails()}
	model.New, _ = o.Shown.(signin.NewFactor)
	model.Link = template.URL(model.New.URL) //nolint:gosec // G203: made of an address, escaped, and a key of ours
	model.Codes, _ = o.Shown.(formpage.Codes)
	var err error
	if model.New.URL != "" {
		if model.QR, err = qrOf(model.New.URL); err != nil {
			return err
		}
	}
	if model.Factor, err = p.people.HasFactor(r.Context(), s.Caller.UserID); err != nil {
		return err
	}
	page, pager := frame.PageOf(r, sessionsSize)
	sessions, next, err := p.people.Sessions(r.Context(), s.Who, page)
	if err != nil {
		return err
	}
	pager.End(r, next != nil)
	model.Pager = pager
	for _, one := range sessions {
		current := one.ID == s.Caller.SessionID
		model.Sessions = append(model.Sessions, session{Session: one, Name: browserName(one.Device), Current: current})
		model.Others = model.Others || !current
	}
	return p.frame.Show(w, o.Status(), "self", s.Page("Your account", "", model))
}

func (p *pages) changePassword(r *http.Request, s *frame.Scene, form url.Values) (any, error) {
	if form.Get("new_password") != form.Get("again") {
		return nil, fault.Field("new_password", "differs from what you gave the second time")
	}
	return nil, p.people.ChangePassword(
		r.Context(), s.Caller, form.Get("current_password"), form.Get("new_password"), s.Guard,
	)
}

func (p *pages) askVerification(r *http.Request, s *frame.Scene, _ url.Values) (any, error) {
	wait, err := p.people.AskVerification(r.Context(), s.Caller.UserID)
	if err == nil && wait > 0 {
		err = fault.New(fault.Conflict, "too_many_mails", fault.Detail{
			Field: "email", Message: "was mailed too often within the hour: look for the mails, or ask again later",
		})
	}
	return nil, err
}
