package httpapi

import (
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// isTraced reports whether a request is traced. Those to /healthz, /readyz and /metrics are not, since they come every
// few seconds.
func isTraced(r *http.Request) bool {
	return !slices.Contains([]string{"/healthz", "/readyz", "/metrics"}, r.URL.Path)
}

// tracePath replaces the path in the span of a request by that of its route, as in the log: paths hold the tokens of
// hooks, links and mails, and whoever reads traces could use them.
func tracePath(c *gin.Context) {
	trace.SpanFromContext(c.Request.Context()).SetAttributes(attribute.String("url.path", routePath(c)))
}
