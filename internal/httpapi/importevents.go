package httpapi

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/httpapi/wire"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/watch"
)

// eventPulse is how often a stream on which nothing happens shows that it lives: proxies cut silent connections after
// a minute or less.
const eventPulse = 15 * time.Second

// importEvents streams an import as server-sent events, at each change, until it is over or the process is to stop.
func (a *API) importEvents(c *gin.Context) error {
	accountID, id, err := recordIDs(c, "import_id")
	if err != nil {
		return err
	}
	watching := a.Watcher.Watch(id)
	defer watching.Close()
	found, err := a.Imports.Get(c.Request.Context(), identityOf(c), accountID, id)
	if err != nil {
		return err
	}
	c.Header("Content-Type", "text/event-stream")
	c.Header("X-Accel-Buffering", "no") // nginx would hold events back
	c.Status(http.StatusOK)
	c.Writer.WriteHeaderNow()
	if c.Request.Method == http.MethodHead {
		return nil
	}
	return a.follow(c, watching, found, func() (imports.Import, error) { return a.readAgain(c, accountID, id) })
}

// readAgain reads the import for somebody who may have lost their key or their team meanwhile.
func (a *API) readAgain(c *gin.Context, accountID, id uuid.UUID) (imports.Import, error) {
	who, err := a.credential(c)
	if err != nil {
		return imports.Import{}, err
	}
	return a.Imports.Get(c.Request.Context(), who, accountID, id)
}

// follow sends what stands, and then each change.
func (a *API) follow(
	c *gin.Context, watching *watch.Watch, stands imports.Import, read func() (imports.Import, error),
) error {
	pulse := time.NewTicker(eventPulse)
	defer pulse.Stop()
	if err := sendEvent(c, stands); err != nil {
		return err
	}
	for !stands.Over() {
		select {
		case <-c.Request.Context().Done():
			return nil
		case <-a.Stopping:
			return nil // the client comes again, to another process
		case <-pulse.C:
			if _, err := a.authenticate(c); err != nil {
				return err
			}
			if err := sendText(c, ": alive\n\n"); err != nil {
				return err
			}
		case <-watching.Changed():
			now, err := read()
			if err != nil {
				return err
			}
			if now.UpdatedAt.Equal(stands.UpdatedAt) && now.Status == stands.Status {
				continue
			}
			stands = now
			if err := sendEvent(c, stands); err != nil {
				return err
			}
		}
	}
	return nil
}

func sendEvent(c *gin.Context, i imports.Import) error {
	body, err := wire.Encode(showImport(i))
	if err != nil {
		return err
	}
	return sendText(c, "data: "+string(body)+"\n\n")
}

func sendText(c *gin.Context, text string) error {
	if _, err := c.Writer.WriteString(text); err != nil {
		return err
	}
	c.Writer.Flush()
	return nil
}
