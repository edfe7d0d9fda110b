package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/pages"
)

// visit finds out as whom a browser asks for a page, and returns for whom the request is counted. Without a session,
// or with one that has ended, it is nobody: the page asks to sign in.
func (a *API) visit(c *gin.Context) (subject string, refusal error) {
	a.originate(c, account.Caller{})
	if c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead {
		refusal = a.refuseOtherSites(c)
	}
	cookie, err := c.Request.Cookie(sessionCookie)
	if err != nil || cookie.Value == "" || refusal != nil {
		return "", refusal
	}
	if err := a.refuseOutage(); err != nil {
		return "", err
	}
	who := account.BySession(cookie.Value)
	who.Admit = func() error { return a.admit(c, who) }
	if err := a.Accounts.Prove(c.Request.Context(), who); err != nil || !who.Proven() {
		return "", nil //nolint:nilerr // who is nobody is asked to sign in
	}
	c.Set(identityKey, who)
	return subjectOf(account.CallerOf(who)), nil
}

// page serves the console.
func (a *API) page(c *gin.Context) error {
	caller, _ := callerOf(c)
	visitor := pages.Visitor{
		Who: identityOf(c), Caller: caller, Guard: a.guard(c),
		Enter: func(entry account.Entry) {
			http.SetCookie(c.Writer, a.cookie(entry.Token, int(a.Accounts.SessionLifetime().Seconds())))
			a.know(c, entry.UserID)
		},
		Leave:  func() { http.SetCookie(c.Writer, a.cookie("", -1)) },
		Failed: func(err error) int { return a.note(c, err) },
		Take:   func(in pages.Creation) (company.Created, error) { return a.takeOnPage(c, in) },
		Attach: func(companyID uuid.UUID) error { return a.attachOnPage(c, companyID) },
		Import: func(accountID uuid.UUID) (imports.Import, error) { return a.importOnPage(c, accountID) },
		Still:  func() bool { return a.isStill(c) },
	}
	a.Pages.ServeHTTP(c.Writer, c.Request.WithContext(pages.With(c.Request.Context(), visitor)))
	return nil
}

// note keeps an error for the log and the state of the database, and returns its status.
func (a *API) note(c *gin.Context, err error) int {
	_ = c.Error(err)
	a.noteOutage(err)
	request.Drain(c.Writer, c.Request) // a browser that still sends a file would not read why it was refused
	status, _ := statusOf(kindOf(err))
	return status
}
