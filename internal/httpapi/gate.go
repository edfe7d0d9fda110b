package httpapi

import (
	"cmp"

	"github.com/gin-gonic/gin"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/httpapi/connections"
	"dealflow/internal/httpapi/limits"
	"dealflow/internal/httpapi/route"
)

// gate identifies the sender of a request, and counts the request for the sender's key or session, for the hook, or for
// the client's address. It answers with a refusal if the rate limit is exceeded. Otherwise it does so if the
// credentials are invalid or lack the scope of the route, if a page of another site sent the request, or if the
// database is known to be unreachable; each route has only some of these checks. For unlimited routes it does nothing.
func (a *API) gate(c *gin.Context) {
	who := route.Of(c).Access
	subject, refusal := "", error(nil)
	switch {
	case who.Unlimited():
		return
	case who.ByKey():
		a.identities.Originate(c, account.Caller{})
		subject, refusal = a.identities.Identify(c)
	case who == route.Entrance:
		a.identities.Originate(c, account.Caller{})
		if refusal = a.identities.RefuseOtherSites(c); refusal == nil {
			refusal = a.identities.RefuseOutage()
		}
	case who == route.Visitors:
		subject, refusal = a.identities.Visit(c)
	case who == route.Hook: // no origin is noted: the user as whom a hook runs does not send it
		subject = connections.HookSubject(c.Param("token"))
	}
	if err := limits.Count(c, a.Limiter, cmp.Or(subject, "address:"+limits.Source(c))); err != nil {
		refusal = err
	}
	if refusal != nil {
		a.turnAway(c, refusal)
	}
}

// turnAway answers a request that gate refuses, or whose key or session turns out to be invalid, with the refusal.
func (a *API) turnAway(c *gin.Context, refusal error) {
	if fault.Is(refusal, fault.Unauthenticated) {
		c.Header("WWW-Authenticate", "Bearer")
	}
	c.Writer.Header().Del("Allow") // it would show visitors which routes exist
	a.fail(c, refusal)
}
