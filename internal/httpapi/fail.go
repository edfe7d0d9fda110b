package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
	"dealflow/internal/httpapi/limits"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/sharing"
)

// statusGone is the status, in the access log, of a request whose client hung up before the answer. It is never sent.
const statusGone = 499

// handle returns a gin handler that calls h and answers its error, if any.
func (a *API) handle(h route.Handler) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := h(c); err != nil {
			a.failProven(c, err)
		}
	}
}

// failProven answers the error of a handler. If the caller's key or session is not valid, lacks the scope of the route,
// or cannot be looked up, it answers the error of that instead. For a key or session that is not valid it also counts
// the request for the client's address, which may be refused with RateLimited.
func (a *API) failProven(c *gin.Context, err error) {
	who := route.Identity(c)
	if who == nil {
		a.fail(c, err)
		return
	}
	if errors.Is(err, os.ErrDeadlineExceeded) { // the deadline ended the request's context too, but the client still waits
		c.Request = c.Request.WithContext(context.WithoutCancel(c.Request.Context()))
	}
	if refusal := a.identities.Prove(c); refusal != nil {
		err = refusal
	}
	if who.Proven() || !fault.Is(err, fault.Unauthenticated) {
		a.fail(c, err)
		return
	}
	a.identities.Forget(who)
	if limited := limits.CountAddress(c, a.Limiter); limited != nil {
		err = limited
	}
	a.turnAway(c, err)
}

// fail answers an error with an envelope, a page of the console or a page of a shared link. It answers all errors that
// handlers return. If a part of the answer was sent already, or the client has hung up, it sends nothing. The cause is
// logged and never sent.
func (a *API) fail(c *gin.Context, err error) {
	_ = c.Error(err)
	c.Abort()
	if c.Writer.Written() { // a part of the answer was sent, and cannot be replaced
		return
	}
	respond.NoteOutage(a.Database, err)
	kind := respond.KindOf(err)
	if isHangUp(c, err, kind) {
		c.Status(statusGone)
		return
	}
	if kind == fault.Unavailable && c.Writer.Header().Get("Retry-After") == "" {
		c.Header("Retry-After", respond.RetryAfter)
	}
	if failed := a.refusal(c)(c, err); failed != nil {
		a.Logger.WarnContext(c.Request.Context(), "the refusal could not be sent", slog.Any("error", failed))
	}
}

// refusal returns the function that answers this request with an error: with a page of the console on routes for
// route.Visitors, with a page for people on paths that begin with sharing.Path, and with an envelope on all others. The
// function itself returns an error if the answer could not be made or sent.
func (a *API) refusal(c *gin.Context) func(*gin.Context, error) error {
	switch {
	case route.Of(c).Access == route.Visitors:
		return a.console.Refuse
	case strings.HasPrefix(c.Request.URL.Path, sharing.Path):
		return a.sharing.Refuse
	}
	return respond.Failure
}

// isHangUp reports whether err was caused by a client that hung up, which ends the context of the request. kind is the
// kind of err: an error of another kind than Internal and Unavailable is never caused by that. A context that was ended
// by the deadline for reading the body does not count, since the client then waits for an answer.
func isHangUp(c *gin.Context, err error, kind fault.Kind) bool {
	return c.Request.Context().Err() != nil && (kind == fault.Internal || kind == fault.Unavailable) &&
		!errors.Is(err, os.ErrDeadlineExceeded)
}
