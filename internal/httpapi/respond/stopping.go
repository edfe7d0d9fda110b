package respond

import "github.com/gin-gonic/gin"

// Stopping is closed when the process is to stop: requests that only wait end then. nil: never.
type Stopping <-chan struct{}

// Begun reports whether the process is to stop and serves on only for a moment.
func (s Stopping) Begun() bool {
	select {
	case <-s:
		return true
	default:
		return false
	}
}

// LeaveConnection asks the client to use the connection no more if the process is to stop. Idle connections are closed
// only later, when no more requests should come: on one that is closed at once, a request could be on its way.
func (s Stopping) LeaveConnection(c *gin.Context) {
	if s.Begun() {
		c.Header("Connection", "close")
	}
}
