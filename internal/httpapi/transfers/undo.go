package transfers

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/postgres"
)

// wireUndo is the undo of an import with its progress.
type wireUndo struct {
	Status     string     `json:"status"`
	Total      int64      `json:"total"`
	Removed    int64      `json:"removed"`
	Error      *string    `json:"error"`
	By         *uuid.UUID `json:"by"`
	StartedAt  *string    `json:"started_at"`
	FinishedAt *string    `json:"finished_at"`
}

func showUndo(u imports.Undo) *wireUndo {
	if u.UndoStatus == nil {
		return nil
	}
	shown := wireUndo{
		Status: *u.UndoStatus, Total: u.UndoTotal, Removed: u.UndoRemoved, Error: u.UndoError, By: u.UndoBy,
	}
	if u.UndoStartedAt != nil {
		shown.StartedAt = wire.Time(*u.UndoStartedAt)
	}
	if u.UndoFinishedAt != nil {
		shown.FinishedAt = wire.Time(*u.UndoFinishedAt)
	}
	return &shown
}

// UndoImport begins to undo an import, and answers 202 with it. A worker carries out the undo. The errors are those of
// imports.Service.BeginUndo, such as Conflict while the import is being written.
func (h *Handlers) UndoImport(c *gin.Context, caller account.Caller) error {
	accountID, id := route.RecordIDs(c, "import_id")
	return respond.Once(c, http.StatusAccepted, func(ctx context.Context) (imports.Import, error) {
		return h.Imports.BeginUndo(ctx, caller.UserID, accountID, id, route.RequestID(c))
	}, func(begun imports.Import) any { return gin.H{"import": showImport(begun)} })
}

// wireKept is a record that the undo of an import did not remove.
type wireKept struct {
	Kind   string    `json:"kind"`
	ID     uuid.UUID `json:"id"`
	Name   *string   `json:"name"`
	Reason string    `json:"reason"`
}

// KeptByUndo streams, as NDJSON, the records that the undo of an import did not remove and that the caller sees,
// ordered by kind and id. The errors are those of imports.Service.ListKept; an error after the status was sent drops
// the connection.
func (h *Handlers) KeptByUndo(c *gin.Context, caller account.Caller) error {
	accountID, id := route.RecordIDs(c, "import_id")
	var after *imports.Kept
	for {
		found, err := h.Imports.ListKept(c.Request.Context(), postgres.AsUser(caller.UserID), accountID, id, after,
			errorsAtOnce)
		if err != nil {
			return respond.CutOff(c, after != nil, err)
		}
		if after == nil {
			c.Header("Content-Type", "application/x-ndjson")
			c.Status(http.StatusOK)
			c.Writer.WriteHeaderNow()
		}
		if c.Request.Method == http.MethodHead {
			return nil
		}
		if err := writeKept(c.Writer, found); err != nil || len(found) < errorsAtOnce {
			return respond.CutOff(c, true, err)
		}
		after = &found[len(found)-1]
	}
}

func writeKept(out io.Writer, found []imports.Kept) error {
	for _, k := range found {
		line, err := wire.Encode(wireKept{Kind: k.Kind, ID: k.Thing, Name: k.Name, Reason: k.Reason})
		if err != nil {
			return err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("send what was kept: %w", err)
		}
	}
	return nil
}
