package httpapi

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
)

// area says which rules of the gate hold for a path.
type area int

const (
	areaOpen     area = iota // limited by address, or by the token of a hook
	areaProbe                // not limited: what watches the process must always get through
	areaGuarded              // nobody passes without a key or a session
	areaEntrance             // limited by address, and not for a page of another site
)

const callerKey = "caller"

// areaOf looks at the path alone, since authentication comes before routing.
func areaOf(method, path string) area {
	switch path {
	case base + "/auth/login", base + "/auth/register", base + "/invitations/accept":
		if method == http.MethodPost {
			return areaEntrance
		}
	case "/healthz", "/readyz", "/metrics":
		return areaProbe
	case base + "/openapi.json":
		return areaOpen
	}
	if method == http.MethodPost && strings.HasPrefix(path, invitationsPath) {
		return areaEntrance
	}
	if path == base || strings.HasPrefix(path, base+"/") {
		return areaGuarded
	}
	return areaOpen
}

// gate finds out who asks, counts the request against him or his address, and refuses what may not pass.
func (a *API) gate(c *gin.Context) {
	where := areaOf(c.Request.Method, c.Request.URL.Path)
	if where == areaProbe {
		return
	}
	subject, refusal := "address:"+c.ClientIP(), error(nil)
	switch where {
	case areaGuarded:
		var caller account.Caller
		if caller, refusal = a.authenticate(c); refusal == nil {
			c.Set(callerKey, caller)
			subject = subjectOf(caller)
		}
	case areaEntrance:
		refusal = a.refuseOtherSites(c)
	case areaOpen:
		if hook, isHook := hookSubject(c.Request.URL.Path); isHook {
			subject = hook
		}
	case areaProbe:
	}
	if err := a.limit(c, subject); err != nil {
		refusal = err
	}
	if refusal != nil {
		if fault.Is(refusal, fault.Unauthenticated) {
			c.Header("WWW-Authenticate", "Bearer")
		}
		c.Writer.Header().Del("Allow") // which routes there are is told to callers only
		a.fail(c, refusal)
	}
}

// subjectOf is whom a caller's requests are counted for.
func subjectOf(caller account.Caller) string {
	if caller.SessionID != uuid.Nil {
		return "session:" + caller.SessionID.String()
	}
	return "key:" + caller.KeyID.String()
}

// refuseOtherSites refuses what a page of another site makes a browser send: with the cookie it would act as whoever is logged in.
func (a *API) refuseOtherSites(c *gin.Context) error {
	probe := c.Request.WithContext(c.Request.Context()) // a shallow copy
	probe.Method = http.MethodPost                      // the check lets every GET pass
	if err := a.sameSite.Check(probe); err != nil {
		return fault.New(fault.Forbidden, "cross_origin").Because(err)
	}
	return nil
}

// authenticate gives the caller behind the bearer key, or where none was sent the one behind the session's cookie.
func (a *API) authenticate(c *gin.Context) (account.Caller, error) {
	given := c.Request.Header.Values("Authorization")
	if cookie, err := c.Request.Cookie(sessionCookie); err == nil && cookie.Value != "" && len(given) == 0 {
		if err := a.refuseOtherSites(c); err != nil {
			return account.Caller{}, err
		}
		return a.Accounts.AuthenticateSession(c.Request.Context(), cookie.Value)
	}
	if len(given) != 1 {
		return account.Caller{}, fault.New(fault.Unauthenticated, "missing_api_key")
	}
	scheme, key, _ := strings.Cut(strings.TrimSpace(given[0]), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return account.Caller{}, fault.New(fault.Unauthenticated, "missing_api_key")
	}
	return a.Accounts.Authenticate(c.Request.Context(), strings.TrimSpace(key))
}

// callerOf gives who sent the request, and whether that is known; under base it always is once a handler runs.
func callerOf(c *gin.Context) (account.Caller, bool) {
	value, _ := c.Get(callerKey)
	caller, known := value.(account.Caller)
	return caller, known
}

// noRoute refuses what no route serves.
func (a *API) noRoute(*gin.Context) error { return fault.New(fault.NotFound, "unknown_path") }

// isImportKind tells a file of a kind that there is not: to the router it is an import's id, which takes no POST.
func isImportKind(r *http.Request) bool {
	rest, found := strings.CutPrefix(r.URL.Path, base+"/accounts/")
	parts := strings.Split(rest, "/")
	return found && r.Method == http.MethodPost && len(parts) == 3 && parts[1] == "imports"
}

// noMethod refuses a method that the path does not have; gin has set Allow. OPTIONS asks just for that.
func (a *API) noMethod(c *gin.Context) error {
	if isImportKind(c.Request) {
		c.Writer.Header().Del("Allow")
		return fault.New(fault.NotFound, "unknown_path")
	}
	if c.Request.Method == http.MethodOptions {
		c.Status(http.StatusNoContent)
		c.Writer.WriteHeaderNow()
		return nil
	}
	return fault.New(fault.NotAllowed, "method_not_allowed")
}
