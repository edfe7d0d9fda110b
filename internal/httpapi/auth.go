package httpapi

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"dealflow/internal/account"
	"dealflow/internal/fault"
)

// area says which rules of the gate hold for a path.
type area int

const (
	areaOpen    area = iota // limited by address
	areaProbe               // not limited: what watches the process must always get through
	areaGuarded             // nobody passes without a key
)

const callerKey = "caller"

// areaOf looks at the path alone, since authentication comes before routing.
func areaOf(path string) area {
	switch path {
	case "/healthz", "/readyz", "/metrics":
		return areaProbe
	case base + "/openapi.json":
		return areaOpen
	}
	if path == base || strings.HasPrefix(path, base+"/") {
		return areaGuarded
	}
	return areaOpen
}

// gate finds out who asks, counts the request against him or his address, and refuses what may not pass.
func (a *API) gate(c *gin.Context) {
	where := areaOf(c.Request.URL.Path)
	if where == areaProbe {
		return
	}
	subject, refusal := "address:"+c.ClientIP(), error(nil)
	if where == areaGuarded {
		var caller account.Caller
		if caller, refusal = a.authenticate(c); refusal == nil {
			c.Set(callerKey, caller)
			subject = "key:" + caller.KeyID.String()
		}
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

// authenticate gives the caller behind the bearer key.
func (a *API) authenticate(c *gin.Context) (account.Caller, error) {
	given := c.Request.Header.Values("Authorization")
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

// noMethod refuses a method that the path does not have; gin has set Allow. OPTIONS asks just for that.
func (a *API) noMethod(c *gin.Context) error {
	if c.Request.Method == http.MethodOptions {
		c.Status(http.StatusNoContent)
		c.Writer.WriteHeaderNow()
		return nil
	}
	return fault.New(fault.NotAllowed, "method_not_allowed")
}
