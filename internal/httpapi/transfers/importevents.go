package transfers

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/postgres"
	"dealflow/internal/watch"
)

// ImportEvents streams an import as server-sent events: its present state, and its state after each change. Changes
// within a short time may be one event. The stream ends when the import is Quiet, the process is to stop, or the caller
// loses access. A HEAD request gets the headers only. The errors are those of imports.Service.Get.
func (h *Handlers) ImportEvents(c *gin.Context, who *postgres.Identity) error {
	accountID, id := route.RecordIDs(c, "import_id")
	watching := h.Watcher.Watch(id)
	defer watching.Close()
	found, err := h.Imports.Get(c.Request.Context(), who, accountID, id)
	if err != nil {
		return err
	}
	respond.BeginEvents(c)
	if c.Request.Method == http.MethodHead {
		return nil
	}
	return h.follow(c, watching, found, func() (imports.Import, error) { return h.readAgain(c, accountID, id) })
}

// readAgain reads the import again, and checks the key or session of the request again, since the caller may have lost
// it or their membership meanwhile. The error is that of Identifier.Credential or of imports.Service.Get.
func (h *Handlers) readAgain(c *gin.Context, accountID, id uuid.UUID) (imports.Import, error) {
	who, err := h.Identities.Credential(c)
	if err != nil {
		return imports.Import{}, err
	}
	return h.Imports.Get(c.Request.Context(), who, accountID, id)
}

// follow sends state and then, after each change, what read returns, until the import is Quiet. It returns nil then,
// and also if the client hangs up or the process is to stop. It checks the caller's key or session regularly. The error
// is that of this check, of read, or of sending.
func (h *Handlers) follow(
	c *gin.Context, watching *watch.Watch, state imports.Import, read func() (imports.Import, error),
) error {
	pulse := time.NewTicker(respond.EventPulse)
	defer pulse.Stop()
	if err := sendEvent(c, state); err != nil {
		return err
	}
	for !state.Quiet() {
		select {
		case <-c.Request.Context().Done():
			return nil
		case <-h.Stopping:
			return nil // the client reconnects, to another process
		case <-pulse.C:
			if _, err := h.Identities.Authenticate(c); err != nil {
				return err
			}
			if err := respond.SendText(c, ": alive\n\n"); err != nil {
				return err
			}
		case <-watching.Changed():
			now, err := read()
			if err != nil {
				return err
			}
			if now.UpdatedAt.Equal(state.UpdatedAt) && now.Status == state.Status {
				continue
			}
			state = now
			if err := sendEvent(c, state); err != nil {
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
	return respond.SendText(c, "data: "+string(body)+"\n\n")
}
