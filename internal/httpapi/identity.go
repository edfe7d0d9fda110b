package httpapi

import (
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

const (
	identityKey = "identity"
	callerKey   = "caller"
)

// credential returns the identity behind the bearer key, or where none was sent the one behind the session's cookie.
// It is not proven yet: the first trip to the database does that, so that a read needs no other.
func (a *API) credential(c *gin.Context) (*postgres.Identity, error) {
	if err := a.refuseOutage(); err != nil {
		return nil, err
	}
	given := c.Request.Header.Values("Authorization")
	if cookie, err := c.Request.Cookie(sessionCookie); err == nil && cookie.Value != "" && len(given) == 0 {
		if err := a.refuseOtherSites(c); err != nil {
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

// authenticate returns the caller behind the request's key or session, looked up anew.
func (a *API) authenticate(c *gin.Context) (account.Caller, error) {
	who, err := a.credential(c)
	if err != nil {
		return account.Caller{}, err
	}
	err = a.Accounts.Prove(c.Request.Context(), who)
	return account.CallerOf(who), err
}

// identify finds out for whom the request is counted. Who was proven before is not looked up for that again, but with
// what is read; another secret is proven first, so that guesses count for the address that they come from.
func (a *API) identify(c *gin.Context) (subject string, err error) {
	who, err := a.credential(c)
	if err != nil {
		return "", err
	}
	who.Admit = func() error { return a.admit(c, who) }
	c.Set(identityKey, who)
	if subject, found := a.subjects.find(who.Secret()); found {
		return subject, nil
	}
	err = a.Accounts.Prove(c.Request.Context(), who)
	if !who.Proven() {
		return "", err
	}
	subject = subjectOf(account.CallerOf(who))
	a.subjects.keep(who.Secret(), subject)
	return subject, err
}

// admit notes who the caller is, and refuses one whose key may not do this.
func (a *API) admit(c *gin.Context, who *postgres.Identity) error {
	if _, known := callerOf(c); known {
		return nil
	}
	caller := account.CallerOf(who)
	c.Set(callerKey, caller)
	a.originate(c, caller)
	return caller.RequireScope(a.endpointOf(c).scope)
}

// identityOf returns as whom a request reads; under base there always is somebody.
func identityOf(c *gin.Context) *postgres.Identity {
	value, _ := c.Get(identityKey)
	who, _ := value.(*postgres.Identity)
	return who
}

// callerOf returns who sent the request, and whether that is known: in a handler that is not hot it always is, in one
// that is once it has read.
func callerOf(c *gin.Context) (account.Caller, bool) {
	value, _ := c.Get(callerKey)
	caller, known := value.(account.Caller)
	return caller, known
}

// proven proves the caller before it runs a handler.
func (a *API) proven(h handler) handler {
	return func(c *gin.Context) error {
		if err := a.prove(c); err != nil {
			return err
		}
		return h(c)
	}
}

// prove refuses a request whose key or session is none. A secret that was known and is none any more counts for the
// address.
func (a *API) prove(c *gin.Context) error {
	who := identityOf(c)
	if who == nil {
		return nil
	}
	return a.Accounts.Prove(c.Request.Context(), who)
}

// subjects remembers for whom the requests with a secret are counted. That decides nothing but what is counted: a
// secret is looked up in each request.
type subjects struct {
	mu    sync.Mutex
	known map[string]string
}

const maxSubjects = 10_000

func (s *subjects) find(secret string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	subject, found := s.known[secret]
	return subject, found
}

func (s *subjects) keep(secret, subject string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= maxSubjects {
		s.known = map[string]string{}
	}
	s.known[secret] = subject
}

func (s *subjects) forget(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, secret)
}

// turnAway answers who may not pass. Who the database no longer knows counts for the address from then on.
func (a *API) turnAway(c *gin.Context, refusal error) {
	if fault.Is(refusal, fault.Unauthenticated) {
		c.Header("WWW-Authenticate", "Bearer")
	}
	c.Writer.Header().Del("Allow") // which routes there are is told to callers only
	a.fail(c, refusal)
}

// failProven answers an error of a handler; who is not known may not learn of any other than that.
func (a *API) failProven(c *gin.Context, err error) {
	who := identityOf(c)
	if who == nil {
		a.fail(c, err)
		return
	}
	if refusal := a.prove(c); refusal != nil {
		err = refusal
	}
	if who.Proven() || !fault.Is(err, fault.Unauthenticated) {
		a.fail(c, err)
		return
	}
	a.subjects.forget(who.Secret())
	if limited := a.limit(c, "address:"+source(c)); limited != nil {
		err = limited
	}
	a.turnAway(c, err)
}
