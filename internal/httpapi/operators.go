package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"dealflow/internal/fault"
	"dealflow/internal/pages"
)

// operator lets the operator alone pass. Without credentials their pages do not exist.
func (a *API) operator(h http.Handler) handler {
	sameOrigin := http.NewCrossOriginProtection()
	return func(c *gin.Context) error {
		if a.OperatorUser == "" || h == nil {
			return fault.New(fault.NotFound, "unknown_path")
		}
		if err := a.requireOperator(c); err != nil {
			return err
		}
		// A browser sends Basic credentials along with what other sites make it ask for.
		if err := sameOrigin.Check(c.Request); err != nil {
			return fault.New(fault.Forbidden, "cross_origin").Because(err)
		}
		c.Header("X-Frame-Options", "DENY")
		// The dashboard brings scripts and styles of its own, inline too; nothing comes from elsewhere.
		c.Header("Content-Security-Policy", "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "+
			"img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; object-src 'none'")
		h.ServeHTTP(c.Writer, c.Request)
		return nil
	}
}

// systemPage serves the operators' page of the console.
func (a *API) systemPage(c *gin.Context) error {
	return a.operator(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		visitor := pages.Visitor{Failed: func(err error) int { return a.note(c, err) }}
		a.Pages.ServeHTTP(w, r.WithContext(pages.With(r.Context(), visitor)))
	}))(c)
}

// requireOperator compares in constant time, and locks out whoever guesses.
func (a *API) requireOperator(c *gin.Context) error {
	if refusal, locked := a.lockout.left(source(c), a.Now()); locked {
		return tooMany(c, refusal)
	}
	user, password, given := c.Request.BasicAuth()
	if given && same(user, a.OperatorUser)&same(password, a.OperatorPassword) == 1 {
		return nil
	}
	if given {
		if guess := a.Guesses.Allow(c.Request.Context(), source(c)); !guess.Allowed {
			a.lockout.lock(source(c), guess, a.Now())
			return tooMany(c, guess)
		}
	}
	c.Header("WWW-Authenticate", `Basic realm="dealflow operators", charset="UTF-8"`)
	return fault.New(fault.Unauthenticated, "operator_credentials_required")
}

// same tells 1 for equal texts, and takes as long for any others of these lengths.
func same(given, want string) int {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:])
}

func (a *API) metricsPage() http.Handler {
	return promhttp.HandlerFor(a.Metrics, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}
