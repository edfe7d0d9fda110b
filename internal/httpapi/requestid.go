package httpapi

import (
	"log/slog"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/httpapi/route"
	"dealflow/internal/logs"
)

const maxRequestIDLength = 128

// identifyRequest sets the id of a request: the client's own if saneRequestID accepts it, else a new one. The id is in
// the response, in every line that is logged for the request, and in the work that the request adds.
func (a *API) identifyRequest(c *gin.Context) {
	id := c.GetHeader(route.RequestIDHeader)
	if !saneRequestID(id) {
		id = uuid.NewString()
	}
	route.SetRequestID(c, id)
	c.Header(route.RequestIDHeader, id)
	c.Request = c.Request.WithContext(logs.With(c.Request.Context(), slog.String("request_id", id)))
}

// saneRequestID reports whether a client's id can be used in headers and logs: it must have 1 to 128 characters, which
// are ASCII letters, digits, ".", "_" or "-".
func saneRequestID(id string) bool {
	return id != "" && len(id) <= maxRequestIDLength && !strings.ContainsFunc(id, func(r rune) bool {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return false
		}
		return !strings.ContainsRune("._-", r)
	})
}
