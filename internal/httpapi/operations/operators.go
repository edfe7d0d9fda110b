// Package operations answers operators and monitoring: probes, metrics and the operators' pages.
package operations

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"dealflow/internal/fault"
	"dealflow/internal/httpapi/limits"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/outage"
	"dealflow/internal/pages/frame"
	"dealflow/internal/ratelimit"
)

// Handlers answer operators and monitoring.
type Handlers struct {
	Pages     *frame.Server
	Registry  *prometheus.Registry
	Readiness func(context.Context) Readiness
	Stopping  respond.Stopping
	Database  *outage.Server
	Guesses   *limits.Guesses
	Limiter   *ratelimit.Limiter // of wrong passwords from an address
	User      string             // empty: the operators' pages are off
	Password  string
	Version   string // of this program
}

// Only returns a handler that serves a page to the operator. The error is NotFound if no credentials of an operator are
// configured or page is nil, Unauthenticated for missing or wrong credentials, RateLimited after too many wrong ones,
// and Forbidden if a page of another site sent the request, unless its method is GET, HEAD or OPTIONS.
func (h *Handlers) Only(page http.Handler) route.Handler {
	sameOrigin := http.NewCrossOriginProtection()
	return func(c *gin.Context) error {
		if h.User == "" || page == nil {
			return fault.New(fault.NotFound, "unknown_path")
		}
		if err := h.requireOperator(c); err != nil {
			return err
		}
		// A browser also sends Basic credentials with requests that pages of other sites make it send.
		if err := sameOrigin.Check(c.Request); err != nil {
			return fault.New(fault.Forbidden, "cross_origin").Because(err)
		}
		c.Header("X-Frame-Options", "DENY")
		// The dashboard brings scripts and styles of its own, inline too; nothing comes from elsewhere.
		c.Header("Content-Security-Policy",
			"default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "+
				"img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; object-src 'none'")
		page.ServeHTTP(c.Writer, c.Request)
		return nil
	}
}

// System serves the operators' page of the console. It returns the same errors as a handler of Only.
func (h *Handlers) System(c *gin.Context) error {
	return h.Only(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		visitor := frame.Visitor{Failed: func(err error) int { return respond.Note(c, h.Database, err) }}
		h.Pages.ServeHTTP(w, r.WithContext(frame.With(r.Context(), visitor)))
	}))(c)
}

// requireOperator returns Unauthenticated for a request without the operator's credentials, which it compares in
// constant time, and RateLimited if the client's address has sent too many wrong ones, even for a request with the
// right ones. A request without credentials is not counted as a guess.
func (h *Handlers) requireOperator(c *gin.Context) error {
	limiters := map[string]*ratelimit.Limiter{limits.Source(c): h.Limiter}
	if err := h.Guesses.Allow(c, limiters); err != nil {
		return err
	}
	user, password, given := c.Request.BasicAuth()
	if given && same(user, h.User)&same(password, h.Password) == 1 {
		return nil
	}
	if given {
		if err := h.Guesses.Failed(c, limiters); err != nil {
			return err
		}
	}
	c.Header("WWW-Authenticate", `Basic realm="dealflow operators", charset="UTF-8"`)
	return fault.New(fault.Unauthenticated, "operator_credentials_required")
}

// same returns 1 if two texts are equal, else 0, in a time that does not depend on where they differ.
func same(given, want string) int {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:])
}

// Metrics returns a handler that serves the metrics of the process, as Prometheus reads them. It does not check who
// requests them; see Only.
func (h *Handlers) Metrics() http.Handler {
	return promhttp.HandlerFor(h.Registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}
