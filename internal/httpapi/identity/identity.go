// Package identity finds out who sends a request, by an API key or by the session of a browser.
package identity

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/apikey"
	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/outage"
	"dealflow/internal/postgres"
)

// SessionCookie is the name of the cookie with a session's token.
const SessionCookie = "dealflow_session"

// Identifier finds out who sends requests.
type Identifier struct {
	Accounts *account.Service
	SignIn   *signin.Service
	Database *outage.Server // its state; nil: not known
	SameSite *http.CrossOriginProtection

	subjects subjects
}

// Credential returns the identity of the request's bearer key or, if no Authorization was sent, of its session cookie.
// It does not look the key or session up: the first query of the handler does, so that a read makes one round trip to
// the database. The error is Unauthenticated if there is neither, or the key is malformed; Forbidden if a page of
// another site sent the cookie; Unavailable while the database is known to be unreachable.
func (i *Identifier) Credential(c *gin.Context) (*postgres.Identity, error) {
	if err := i.RefuseOutage(); err != nil {
		return nil, err
	}
	given := c.Request.Header.Values("Authorization")
	if cookie, err := c.Request.Cookie(SessionCookie); err == nil && cookie.Value != "" && len(given) == 0 {
		if err := i.RefuseOtherSites(c); err != nil {
			return nil, err
		}
		return account.BySession(cookie.Value), nil
	}
	if len(given) != 1 {
		return nil, fault.New(fault.Unauthenticated, "missing_api_key")
	}
	scheme, key, _ := strings.Cut(strings.TrimSpace(given[0]), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return nil, fault.New(fault.Unauthenticated, "missing_api_key")
	}
	return apikey.Identity(strings.TrimSpace(key))
}

// Authenticate returns the caller to whom the request's key or session belongs, which it looks up in the database. The
// errors are those of Credential, and Unauthenticated if the key or session is unknown or has ended.
func (i *Identifier) Authenticate(c *gin.Context) (account.Caller, error) {
	who, err := i.Credential(c)
	if err != nil {
		return account.Caller{}, err
	}
	err = i.Accounts.Prove(c.Request.Context(), who)
	return account.CallerOf(who), err
}

// Identify notes the identity of the request by route.SetIdentity, and returns the subject that the request is counted
// for. If the secret was valid before, only the first query of the handler looks it up again. Any other secret is
// looked up here, and subject is "" if it is not valid, so that requests with wrong secrets are counted for the address
// that they come from.
func (i *Identifier) Identify(c *gin.Context) (subject string, err error) {
	who, err := i.Credential(c)
	if err != nil {
		return "", err
	}
	who.Admit = func() error { return i.admit(c, who) }
	route.SetIdentity(c, who)
	if subject, found := i.subjects.find(who.Secret()); found {
		return subject, nil
	}
	err = i.Accounts.Prove(c.Request.Context(), who)
	if !who.Proven() {
		return "", err
	}
	subject = subjectOf(account.CallerOf(who))
	i.subjects.keep(who.Secret(), subject)
	return subject, err
}

// admit notes who the caller is, and refuses a key without the scope of the route.
func (i *Identifier) admit(c *gin.Context, who *postgres.Identity) error {
	if _, known := route.Caller(c); known {
		return nil
	}
	caller := account.CallerOf(who)
	route.SetCaller(c, caller)
	i.Originate(c, caller)
	return caller.RequireScope(route.Of(c).Scope)
}

// Prove refuses a request whose key or session is invalid. It accepts a request without an identity, as on routes where
// nobody needs to log in.
func (i *Identifier) Prove(c *gin.Context) error {
	who := route.Identity(c)
	if who == nil {
		return nil
	}
	return i.Accounts.Prove(c.Request.Context(), who)
}

// Proven returns a handler that proves the caller before it runs h.
func (i *Identifier) Proven(h route.Handler) route.Handler {
	return func(c *gin.Context) error {
		if err := i.Prove(c); err != nil {
			return err
		}
		return h(c)
	}
}

// Forget removes the subject that requests with this secret are counted for, since the secret is no longer valid.
func (i *Identifier) Forget(who *postgres.Identity) { i.subjects.forget(who.Secret()) }

// Visit finds out whose session a browser sends with its request for a page, and returns the subject that the request
// is counted for. Without a session, or with one that has ended, subject is "", and the page asks to sign in. The error
// is Forbidden for a form of another site, or says that the session could not be looked up.
func (i *Identifier) Visit(c *gin.Context) (subject string, refusal error) {
	i.Originate(c, account.Caller{})
	if c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead {
		refusal = i.RefuseOtherSites(c)
	}
	cookie, err := c.Request.Cookie(SessionCookie)
	if err != nil || cookie.Value == "" || refusal != nil {
		return "", refusal
	}
	if err := i.RefuseOutage(); err != nil {
		return "", err
	}
	who := account.BySession(cookie.Value)
	who.Admit = func() error { return i.admit(c, who) }
	err = i.Accounts.Prove(c.Request.Context(), who)
	if fault.Is(err, fault.Unauthenticated) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	route.SetIdentity(c, who)
	return subjectOf(account.CallerOf(who)), nil
}

// IsStillSession reports whether the session of the request's cookie is still valid.
func (i *Identifier) IsStillSession(c *gin.Context) bool {
	cookie, err := c.Request.Cookie(SessionCookie)
	if err != nil {
		return false
	}
	who := account.BySession(cookie.Value)
	return i.Accounts.Prove(c.Request.Context(), who) == nil && who.Proven()
}

// Originate notes in the request's context the address, the browser, and the key or session from which the request
// comes: the audit log names them with what the request does. It also notes the use of the key or session.
func (i *Identifier) Originate(c *gin.Context, caller account.Caller) {
	address := c.ClientIP()
	if caller.UserID != uuid.Nil {
		i.SignIn.Used(caller, address)
	}
	origin := postgres.Origin{
		Address: address, Device: c.Request.UserAgent(), KeyID: caller.KeyID, SessionID: caller.SessionID,
	}
	c.Request = c.Request.WithContext(postgres.WithOrigin(c.Request.Context(), origin))
}

// RefuseOutage refuses a request at once while the database is known to be unreachable, so that it does not wait in
// vain.
func (i *Identifier) RefuseOutage() error {
	if i.Database.Away() {
		return fault.New(fault.Unavailable, "unavailable")
	}
	return nil
}

// RefuseOtherSites refuses a request that a page of another site made a browser send: with the cookie it would act as
// the user who is logged in.
func (i *Identifier) RefuseOtherSites(c *gin.Context) error {
	probe := c.Request.WithContext(c.Request.Context()) // a shallow copy
	probe.Method = http.MethodPost                      // the check lets every GET pass
	if err := i.SameSite.Check(probe); err != nil {
		return fault.New(fault.Forbidden, "cross_origin").Because(err)
	}
	return nil
}
