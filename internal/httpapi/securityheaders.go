package httpapi

import (
	"maps"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"dealflow/internal/httpapi/respond"
)

// securityHeaders returns the headers that every answer begins with. They forbid a browser to guess the type of the
// answer, to store or frame it, to load anything for it, and to send its URL as a referrer. If the public URL is https,
// they also make the browser use https only. Handlers of pages replace those that a page cannot have.
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

// setSecurityHeaders adds the security headers to an answer. If the process is to stop, it also asks the client not to
// use the connection again. All answers share the lists of values, since nobody changes a list in place.
func (a *API) setSecurityHeaders(c *gin.Context) {
	maps.Copy(c.Writer.Header(), a.securityHeaders)
	respond.Stopping(a.Stopping).LeaveConnection(c)
}
