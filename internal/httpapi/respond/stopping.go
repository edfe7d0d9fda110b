package respond

import "github.com/gin-gonic/gin"

// Stopping is a channel that is closed when the process is to stop: requests that only wait end then. A nil Stopping is
// never closed.
type Stopping <-chan struct{}

// Begun reports whether the process is to stop: then it only finishes running requests. Begun does not block.
func (s Stopping) Begun() bool {
	select {
	case <-s:
		return true
	default:
		return false
	}
}

// LeaveConnection asks the client not to use the connection again, if the process is to stop. Idle connections are
// closed only later, when clients should send no more requests: a request could already be on its way to a connection
// that is closed at once.
func (s Stopping) LeaveConnection(c *gin.Context) {
	if s.Begun() {
		c.Header("Connection", "close")
	}
}
