package httpapi

import (
	"maps"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"dealflow/internal/httpapi/respond"
)

// securityHeaders returns what every answer should order a browser: not to guess, keep or frame it, and to load nothing
// for it. Pages set what they need instead.
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

// setSecurityHeaders copies the lists of values, not the values: nobody changes one in place.
func (a *API) setSecurityHeaders(c *gin.Context) {
	maps.Copy(c.Writer.Header(), a.securityHeaders)
	respond.Stopping(a.Stopping).LeaveConnection(c)
}
