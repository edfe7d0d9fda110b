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

// Identifier finds out who sends requests. It is safe for concurrent use, and must not be copied after its first use.
type Identifier struct {
	Accounts *account.Service
	SignIn   *signin.Service
	Database *outage.Server // its state; nil: not known
	SameSite *http.CrossOriginProtection

	subjects subjects
}

// Credential returns the identity of the request's bearer key or, if no Authorization header was sent, of its session
// cookie. It does not look the key or session up: the first query of the handler does, so that a read makes one round
// trip to the database. The error is Unauthenticated if there is neither, if Authorization was sent twice or is not a
// bearer key, or if the key is malformed; Forbidden if a page of another site sent the cookie; Unavailable while the
// database is known to be unreachable.
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

// Identify sets the identity of the request by route.SetIdentity, and returns the subject under which the request is
// counted. If a request with the same secret was valid before, it does not look the secret up: the first query of the
// handler does. Otherwise it looks the secret up. If Credential fails, or the secret is not valid or cannot be looked
// up, subject is "", so that the request is counted for its address, and err is the reason. If it finds that the key
// lacks the scope of the route, it returns both the subject and Forbidden.
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

// admit sets the caller of the request, calls Originate for the caller, and returns Forbidden if the caller's key does
// not have the scope of the route. If the caller is set already, it does nothing and returns nil.
func (i *Identifier) admit(c *gin.Context, who *postgres.Identity) error {
	if _, known := route.Caller(c); known {
		return nil
	}
	caller := account.CallerOf(who)
	route.SetCaller(c, caller)
	i.Originate(c, caller)
	return caller.RequireScope(route.Of(c).Scope)
}

// Prove looks up the request's key or session, unless that was done before. The error is Unauthenticated if the key or
// session is not valid, and Forbidden if the key lacks the scope of the route. Prove returns nil for a request that has
// no identity, such as one to a route that needs no login.
func (i *Identifier) Prove(c *gin.Context) error {
	who := route.Identity(c)
	if who == nil {
		return nil
	}
	return i.Accounts.Prove(c.Request.Context(), who)
}

// Proven returns a handler that checks the request's key or session before it runs h. If Prove fails, the handler
// returns its error and does not run h. A request without an identity is not checked: h runs.
func (i *Identifier) Proven(h route.Handler) route.Handler {
	return func(c *gin.Context) error {
		if err := i.Prove(c); err != nil {
			return err
		}
		return h(c)
	}
}

// Forget removes the secret of who from the cache of subjects. It must be called when the secret turns out not to be
// valid. It does nothing if the secret is not in the cache.
func (i *Identifier) Forget(who *postgres.Identity) { i.subjects.forget(who.Secret()) }

// Visit looks up the session of a browser that requests a page, and returns the subject under which the request is
// counted; "" if there is no session or it has ended, which is no error. refusal is Forbidden if a page of another site
// sent the request and its method is neither GET nor HEAD. If the browser sent a session, it may also be Unavailable
// while the database is known to be unreachable, or the error of looking the session up.
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

// IsStillSession reports whether the session of the request's cookie is valid. It also reports false if the session
// could not be looked up.
func (i *Identifier) IsStillSession(c *gin.Context) bool {
	cookie, err := c.Request.Cookie(SessionCookie)
	if err != nil {
		return false
	}
	who := account.BySession(cookie.Value)
	return i.Accounts.Prove(c.Request.Context(), who) == nil && who.Proven()
}

// Originate stores the client's address and browser, and the caller's key or session, in the context of the request,
// for the audit log. If caller has a user, it also records the use of the key or session.
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

// RefuseOutage returns Unavailable while the database is known to be unreachable, so that a request is refused at once
// instead of waiting in vain.
func (i *Identifier) RefuseOutage() error {
	if i.Database.Away() {
		return fault.New(fault.Unavailable, "unavailable")
	}
	return nil
}

// RefuseOtherSites returns Forbidden for a request of any method that a page of another site made a browser send: with
// the cookie, it would be carried out as the user who is logged in.
func (i *Identifier) RefuseOtherSites(c *gin.Context) error {
	probe := c.Request.WithContext(c.Request.Context()) // a shallow copy
	probe.Method = http.MethodPost                      // the check lets every GET pass
	if err := i.SameSite.Check(probe); err != nil {
		return fault.New(fault.Forbidden, "cross_origin").Because(err)
	}
	return nil
}
