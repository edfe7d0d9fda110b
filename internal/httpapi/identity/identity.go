// Package identity finds out who sends a request, by an API key or by the session of a browser.
package identity

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/outage"
	"dealflow/internal/postgres"
)

// SessionCookie holds a session's token.
const SessionCookie = "dealflow_session"

// Identifier finds out who sends requests.
type Identifier struct {
	Accounts *account.Service
	SignIn   *signin.Service
	Database *outage.Server // its state; nil: not known
	SameSite *http.CrossOriginProtection

	subjects subjects
}

// Credential returns the identity behind the bearer key, or where none was sent the one behind the session's cookie.
// It is not proven yet: the first trip to the database does that, so that a read needs no other.
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
	return account.ByKey(strings.TrimSpace(key))
}

// Authenticate returns the caller behind the request's key or session, looked up anew.
func (i *Identifier) Authenticate(c *gin.Context) (account.Caller, error) {
	who, err := i.Credential(c)
	if err != nil {
		return account.Caller{}, err
	}
	err = i.Accounts.Prove(c.Request.Context(), who)
	return account.CallerOf(who), err
}

// Identify finds out for whom the request is counted. Who was proven before is not looked up for that again, but with
// what is read; another secret is proven first, so that guesses count for the address that they come from.
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

// admit notes who the caller is, and refuses one whose key may not do this.
func (i *Identifier) admit(c *gin.Context, who *postgres.Identity) error {
	if _, known := route.Caller(c); known {
		return nil
	}
	caller := account.CallerOf(who)
	route.SetCaller(c, caller)
	i.Originate(c, caller)
	return caller.RequireScope(route.Of(c).Scope)
}

// Prove refuses a request whose key or session is none. A secret that was known and is none any more counts for the
// address.
func (i *Identifier) Prove(c *gin.Context) error {
	who := route.Identity(c)
	if who == nil {
		return nil
	}
	return i.Accounts.Prove(c.Request.Context(), who)
}

// Proven proves the caller before it runs a handler.
func (i *Identifier) Proven(h route.Handler) route.Handler {
	return func(c *gin.Context) error {
		if err := i.Prove(c); err != nil {
			return err
		}
		return h(c)
	}
}

// Forget forgets for whom the requests with a secret are counted.
func (i *Identifier) Forget(who *postgres.Identity) { i.subjects.forget(who.Secret()) }

// Visit finds out as whom a browser asks for a page, and returns for whom the request is counted. Without a session,
// or with one that has ended, it is nobody: the page asks to sign in.
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
	if err := i.Accounts.Prove(c.Request.Context(), who); err != nil || !who.Proven() {
		return "", nil //nolint:nilerr // who is nobody is asked to sign in
	}
	route.SetIdentity(c, who)
	return subjectOf(account.CallerOf(who)), nil
}

// IsStillSession reports whether the session of a browser still is one.
func (i *Identifier) IsStillSession(c *gin.Context) bool {
	cookie, err := c.Request.Cookie(SessionCookie)
	if err != nil {
		return false
	}
	who := account.BySession(cookie.Value)
	return i.Accounts.Prove(c.Request.Context(), who) == nil && who.Proven()
}

// Originate lets what the request does know where it comes from.
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

// RefuseOutage refuses at once what would wait for a database that is known to be away.
func (i *Identifier) RefuseOutage() error {
	if i.Database.Away() {
		return fault.New(fault.Unavailable, "unavailable")
	}
	return nil
}

// RefuseOtherSites refuses what a page of another site makes a browser send: with the cookie it would act as whoever
// is logged in.
func (i *Identifier) RefuseOtherSites(c *gin.Context) error {
	probe := c.Request.WithContext(c.Request.Context()) // a shallow copy
	probe.Method = http.MethodPost                      // the check lets every GET pass
	if err := i.SameSite.Check(probe); err != nil {
		return fault.New(fault.Forbidden, "cross_origin").Because(err)
	}
	return nil
}
