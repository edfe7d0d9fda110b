package respond

import "github.com/gin-gonic/gin"

// Stopping is closed when the process is to stop: what only waits ends then. nil: never.
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

// LeaveConnection asks the client of a process that stops to use the connection no more. Connections that are idle
// stay open until nobody should send requests any more: closing one at once could cross with a request.
func (s Stopping) LeaveConnection(c *gin.Context) {
	if s.Begun() {
		c.Header("Connection", "close")
	}
}
