package httpapi

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/httpapi/route"
)

// accessLine returns the attributes of the line that is logged for a request. path must be that of the route, since the
// URL may contain a secret. If there were several errors, the line has the last one.
func accessLine(c *gin.Context, path string, status int, took time.Duration) []slog.Attr {
	line := []slog.Attr{
		slog.String("method", knownMethod(c.Request.Method)), slog.String("route", path), slog.Int("status", status),
		slog.Float64("duration_ms", float64(took.Microseconds())/1000), slog.Int("bytes", max(0, c.Writer.Size())),
		slog.String("client", c.ClientIP()),
	}
	if caller, known := route.Caller(c); known {
		line = append(line, slog.String("user_id", caller.UserID.String()))
		if caller.KeyID != uuid.Nil {
			line = append(line, slog.String("key_id", caller.KeyID.String()))
		}
		if caller.SessionID != uuid.Nil {
			line = append(line, slog.String("session_id", caller.SessionID.String()))
		}
	}
	if len(c.Errors) > 0 {
		line = append(line, slog.String("error", c.Errors.Last().Error()))
	}
	return line
}

// levelOf returns the level at which a request is logged: Error for a status of 500 or more, except 503, Debug for
// other requests to unlimited routes, and Info for the rest. 503 is Info on all routes, since the cause is logged in a
// line of its own.
func levelOf(who route.Access, status int) slog.Level {
	switch {
	case status == http.StatusServiceUnavailable:
		return slog.LevelInfo
	case status >= http.StatusInternalServerError:
		return slog.LevelError
	case who.Unlimited():
		return slog.LevelDebug
	}
	return slog.LevelInfo
}
