package respond

import "github.com/gin-gonic/gin"

// Stopping is a channel that is closed when the process is to stop: requests that only wait end then. A nil Stopping is
// never closed.
type Stopping <-chan struct{}

// Begun reports whether the process is to stop, and only finishes what it has begun.
func (s Stopping) Begun() bool {
	select {
	case <-s:
		return true
	default:
		return false
	}
}

// LeaveConnection asks the client not to use the connection again, if the process is to stop. Idle connections are
// closed only later, when no more requests should come: if one were closed at once, a request could be on its way.
func (s Stopping) LeaveConnection(c *gin.Context) {
	if s.Begun() {
		c.Header("Connection", "close")
	}
}
