package httpapi

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// gate finds out who asks, counts the request against them or their address, and refuses what may not pass.
func (a *API) gate(c *gin.Context) {
	who := a.endpointOf(c).access
	subject, refusal := "", error(nil)
	switch {
	case who.unlimited():
		return
	case who.byKey():
		a.originate(c, account.Caller{})
		subject, refusal = a.identify(c)
	case who == entrance:
		a.originate(c, account.Caller{})
		if refusal = a.refuseOtherSites(c); refusal == nil {
			refusal = a.refuseOutage()
		}
	case who == visitors:
		subject, refusal = a.visit(c)
	case who == hook: // has no origin: what a hook brings is not done by the person as whom it runs
		subject = hookSubject(c.Param("token"))
	}
	if err := a.limit(c, cmp.Or(subject, "address:"+source(c))); err != nil {
		refusal = err
	}
	if refusal != nil {
		a.turnAway(c, refusal)
	}
}

// refuseOutage refuses at once what would wait for a database that is known to be away.
func (a *API) refuseOutage() error {
	if a.Database.Away() {
		return fault.New(fault.Unavailable, "unavailable")
	}
	return nil
}

// originate lets what the request does know where it comes from.
func (a *API) originate(c *gin.Context, caller account.Caller) {
	address := c.ClientIP()
	if caller.UserID != uuid.Nil {
		a.Accounts.Used(caller, address)
	}
	origin := postgres.Origin{
		Address: address, Device: c.Request.UserAgent(), KeyID: caller.KeyID, SessionID: caller.SessionID,
	}
	c.Request = c.Request.WithContext(postgres.WithOrigin(c.Request.Context(), origin))
}

// subjectOf is whom a caller's requests are counted for.
func subjectOf(caller account.Caller) string {
	if caller.SessionID != uuid.Nil {
		return "session:" + caller.SessionID.String()
	}
	return "key:" + caller.KeyID.String()
}

// refuseOtherSites refuses what a page of another site makes a browser send: with the cookie it would act as whoever
// is logged in.
func (a *API) refuseOtherSites(c *gin.Context) error {
	probe := c.Request.WithContext(c.Request.Context()) // a shallow copy
	probe.Method = http.MethodPost                      // the check lets every GET pass
	if err := a.sameSite.Check(probe); err != nil {
		return fault.New(fault.Forbidden, "cross_origin").Because(err)
	}
	return nil
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

// isBelow reports whether path is root or lies below it.
func isBelow(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }
