package httpapi

import (
	"maps"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"dealflow/internal/httpapi/respond"
)

// securityHeaders returns headers of every answer that forbid a browser to guess its type, to store or frame it, and to
// load anything for it. Pages set what they need instead.
func securityHeaders(publicURL string) http.Header {
	header := http.Header{
		"X-Content-Type-Options": {"nosniff"}, "Referrer-Policy": {"no-referrer"}, "Cache-Control": {"no-store"},
		"Content-Security-Policy": {"default-src 'none'; frame-ancestors 'none'"},
	}
	if strings.HasPrefix(publicURL, "https://") {
		header.Set("Strict-Transport-Security", "max-age=31536000")
	}
	return header
}

// setSecurityHeaders adds the security headers to an answer, and asks the client to leave the connection when the
// process is to stop. The lists of values are shared by all answers, since nobody changes one in place.
func (a *API) setSecurityHeaders(c *gin.Context) {
	maps.Copy(c.Writer.Header(), a.securityHeaders)
	respond.Stopping(a.Stopping).LeaveConnection(c)
}
