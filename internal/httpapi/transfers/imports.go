// Package transfers answers the requests for imports and exports.
package transfers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/identity"
	"dealflow/internal/httpapi/limits"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/idempotency"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/postgres"
	"dealflow/internal/transfer"
	"dealflow/internal/watch"
)

// Handlers answer the requests for imports and exports.
type Handlers struct {
	Imports    *imports.Service
	Watcher    *watch.Watcher // of imports
	Transfers  *transfer.Service
	Identities *identity.Identifier
	Reader     request.Reader
	Admission  *limits.Admission
	Stopping   respond.Stopping

	MaxFileSize int64 // bytes of one uploaded file
}

// statusUndone is the status in the API of an import that was undone completely, whatever its status was before.
const statusUndone = "undone"

// wireImport is an import with its progress.
type wireImport struct {
	ID              uuid.UUID `json:"id"`
	AccountID       uuid.UUID `json:"account_id"`
	Kind            string    `json:"kind"`
	Format          string    `json:"format"`
	CreateCompanies bool      `json:"create_companies"`
	Status          string    `json:"status"`
	Total           int64     `json:"total"`
	Processed       int64     `json:"processed"`
	Created         int64     `json:"created"`
	Duplicates      int64     `json:"duplicates"`
	Failed          int64     `json:"failed"`
	Error           *string   `json:"error"`
	CreatedBy       uuid.UUID `json:"created_by"`
	CreatedAt       *string   `json:"created_at"`
	UpdatedAt       *string   `json:"updated_at"`
	FinishedAt      *string   `json:"finished_at"`
	Kept            int64     `json:"kept"`
	Undo            *wireUndo `json:"undo"`
}

func showImport(i imports.Import) wireImport {
	shown := wireImport{
		ID: i.ID, AccountID: i.AccountID, Kind: i.Kind, Format: i.Format, CreateCompanies: i.CreateCompanies,
		Status: i.Status, Total: i.Total,
		Processed: i.Processed, Created: i.Created, Duplicates: i.Duplicates, Failed: i.Failed, Error: i.Error,
		CreatedBy: i.CreatedBy,
		CreatedAt: wire.Time(i.CreatedAt), UpdatedAt: wire.Time(i.UpdatedAt), Kept: i.UndoKept, Undo: showUndo(i.Undo),
	}
	if i.Undone() {
		shown.Status = statusUndone
	}
	if i.FinishedAt != nil {
		shown.FinishedAt = wire.Time(*i.FinishedAt)
	}
	return shown
}

// StartImport returns the handler that receives a file of one kind, of any size, and answers 202 with the import.
// Mistakes in the file that are found after the import exists are reported by the import, not by the answer. The error
// is InvalidQuery for an invalid parameter, and otherwise that of openImport or takeImport.
func (h *Handlers) StartImport(kind string) func(*gin.Context, account.Caller) error {
	return func(c *gin.Context, caller account.Caller) error {
		params := request.ReadQuery(c.Request)
		order := imports.Request{
			ID: uuid.New(), AccountID: route.PathID(c, "account_id"), Kind: kind,
			CreateCompanies: params.Boolean("create_companies"), RequestID: route.RequestID(c),
		}
		if err := params.Err(); err != nil {
			return err
		}
		file, err := openImport(c, kind)
		if err != nil {
			return err
		}
		received, err := h.takeImport(c, caller, order, file)
		if err != nil {
			return err
		}
		return h.accepted(c, received)
	}
}

// takeImport creates an import and receives its file. If a mistake in the file ends the import, the import reports it,
// and takeImport returns no error; see request.Drain for the rest of the body. The error is Unavailable with the code
// "overloaded" if too many uploads are being received, or that of imports.Service.Begin or Receive.
func (h *Handlers) takeImport(c *gin.Context, caller account.Caller, order imports.Request,
	file *importFile,
) (imports.Import, error) {
	order.Format = file.format
	leave, err := h.Admission.Enter(caller.UserID)
	if err != nil {
		return imports.Import{}, err
	}
	defer leave()
	idempotency.Remember(c.Request.Context(), importReference{AccountID: order.AccountID, ID: order.ID})
	begun, err := h.Imports.Begin(c.Request.Context(), caller.UserID, order)
	if err != nil {
		return imports.Import{}, err
	}
	received, err := h.Imports.Receive(idempotency.Without(c.Request.Context()), begun, order.RequestID,
		h.Admission.Store, file)
	if err != nil {
		return imports.Import{}, err
	}
	request.Drain(c.Writer, c.Request) // of a file that was not read to its end
	return received, nil
}

func (h *Handlers) accepted(c *gin.Context, i imports.Import) error {
	return respond.Answer(c, http.StatusAccepted, gin.H{"import": showImport(i)})
}

// importReference is stored with an Idempotency-Key, so that the answer to an import can be built again.
type importReference struct {
	AccountID uuid.UUID `json:"account_id"`
	ID        uuid.UUID `json:"id"`
}

// RecallImport answers a repeated request to start an import whose first answer was lost, with the import as it is now.
// reference is the importReference of the first request. The errors are those of imports.Service.Get.
func (h *Handlers) RecallImport(c *gin.Context, reference json.RawMessage) error {
	var made importReference
	if err := json.Unmarshal(reference, &made); err != nil {
		return fmt.Errorf("read the reference of an import: %w", err)
	}
	found, err := h.Imports.Get(c.Request.Context(), route.Identity(c), made.AccountID, made.ID)
	if err != nil {
		return err
	}
	return h.accepted(c, found)
}

// ListImports answers with a page of the imports of an account, the newest first. The error is InvalidQuery for an
// invalid parameter of the page, and otherwise that of imports.Service.List.
func (h *Handlers) ListImports(c *gin.Context, who *postgres.Identity) error {
	return respond.Filtered(h.Reader, c, who, "imports", func(*request.Query) respond.ListPage[imports.Import] {
		return h.Imports.List
	}, showImport)
}

// GetImport answers with an import and its progress. The errors are those of imports.Service.Get.
func (h *Handlers) GetImport(c *gin.Context, who *postgres.Identity) error {
	return respond.Read(c, who, "import_id", "import", h.Imports.Get, showImport)
}

// CancelImport ends an import, and answers with it. The records that the import has written stay. An import that was
// cancelled before stays as it is. The error is Conflict if the import has completed or failed, and otherwise that of
// imports.Service.Cancel.
func (h *Handlers) CancelImport(c *gin.Context, caller account.Caller) error {
	accountID, id := route.RecordIDs(c, "import_id")
	return respond.Once(c, http.StatusOK, func(ctx context.Context) (imports.Import, error) {
		return h.Imports.Cancel(ctx, caller.UserID, accountID, id)
	}, func(cancelled imports.Import) any { return gin.H{"import": showImport(cancelled)} })
}

// errorsAtOnce is how many row errors, or records that an undo kept, are read at a time.
const errorsAtOnce = 1000

// wireRowError is a line of the row errors.
type wireRowError struct {
	Row    int64  `json:"row"`
	Reason string `json:"reason"`
}

// ImportErrors streams the errors of an import's rows, in the order of the rows, as NDJSON. It reads errorsAtOnce of
// them at a time. The error is that of imports.Service.Errors for the first read; any later error drops the connection.
func (h *Handlers) ImportErrors(c *gin.Context, caller account.Caller) error {
	accountID, id := route.RecordIDs(c, "import_id")
	for after, first := int64(0), true; ; first = false {
		found, err := h.Imports.Errors(c.Request.Context(), caller.UserID, accountID, id, after, errorsAtOnce)
		if err != nil {
			return respond.CutOff(c, !first, err)
		}
		if first {
			c.Header("Content-Type", "application/x-ndjson")
			c.Status(http.StatusOK)
			c.Writer.WriteHeaderNow()
		}
		if c.Request.Method == http.MethodHead {
			return nil
		}
		if err := writeLines(c.Writer, found); err != nil || len(found) < errorsAtOnce {
			return respond.CutOff(c, true, err)
		}
		after = found[len(found)-1].Row
	}
}

func writeLines(out io.Writer, found []imports.RowError) error {
	for _, e := range found {
		line, err := wire.Encode(wireRowError{Row: e.Row, Reason: e.Reason})
		if err != nil {
			return err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("send a row error: %w", err)
		}
	}
	return nil
}

// StartImportOnPage receives a file from the form of a page of the console, in the same way as StartImport, and returns
// the import. The account is accountID, whatever the form says. The errors are those of openImportForm and takeImport.
func (h *Handlers) StartImportOnPage(c *gin.Context, caller account.Caller, accountID uuid.UUID) (imports.Import,
	error,
) {
	file, fields, err := openImportForm(c)
	if err != nil {
		return imports.Import{}, err
	}
	order := imports.Request{
		ID: uuid.New(), AccountID: accountID, Kind: fields["kind"], RequestID: route.RequestID(c),
		CreateCompanies: fields["create_companies"] != "" && fields["kind"] != imports.KindCompanies,
	}
	return h.takeImport(c, caller, order, file)
}
