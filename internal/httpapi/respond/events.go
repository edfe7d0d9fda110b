package respond

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// EventPulse is the pause after which a stream without events sends something, since proxies close silent connections
// after a minute or less.
const EventPulse = 15 * time.Second

// BeginEvents sends the status and the headers of a stream of server-sent events.
func BeginEvents(c *gin.Context) {
	c.Header("Content-Type", "text/event-stream")
	c.Header("X-Accel-Buffering", "no") // nginx would hold events back
	Empty(c, http.StatusOK)
}

// SendText sends a part of a stream at once. The error is that of a client that has gone.
func SendText(c *gin.Context, text string) error {
	if _, err := c.Writer.WriteString(text); err != nil {
		return err
	}
	c.Writer.Flush()
	return nil
}
