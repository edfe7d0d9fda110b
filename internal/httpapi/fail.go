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

// statusGone is what the access log says of a request whose client left before the answer; nobody reads it.
const statusGone = 499

// handle runs a handler, and turns its error into a response.
func (a *API) handle(h route.Handler) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := h(c); err != nil {
			a.failProven(c, err)
		}
	}
}

// failProven answers an error of a handler; who is not known may not learn of any other than that.
func (a *API) failProven(c *gin.Context, err error) {
	who := route.Identity(c)
	if who == nil {
		a.fail(c, err)
		return
	}
	if errors.Is(err, os.ErrDeadlineExceeded) { // it ended the request's context as well, and the client waits
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

// fail is the only place where an error becomes a response: for programs, as a page of the console, or as a page of
// shared links. The cause goes to the log, never to the client.
func (a *API) fail(c *gin.Context, err error) {
	_ = c.Error(err)
	c.Abort()
	if c.Writer.Written() { // half an answer is out: it cannot be taken back
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

// refusal returns what answers a request with an error: an envelope, or a page where a person reads it.
func (a *API) refusal(c *gin.Context) func(*gin.Context, error) error {
	switch {
	case route.Of(c).Access == route.Visitors:
		return a.console.Refuse
	case strings.HasPrefix(c.Request.URL.Path, sharing.Path):
		return a.sharing.Refuse
	}
	return respond.Failure
}

// isHangUp reports whether an error comes of the request's context, which ends when the client has gone; it ends too
// when the reading of the body was ended by a deadline of ours, and then the client waits for an answer.
func isHangUp(c *gin.Context, err error, kind fault.Kind) bool {
	return c.Request.Context().Err() != nil && (kind == fault.Internal || kind == fault.Unavailable) &&
		!errors.Is(err, os.ErrDeadlineExceeded)
}
