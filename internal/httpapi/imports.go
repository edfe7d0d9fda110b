package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/idempotency"
	"dealflow/internal/ingest/imports"
)

// wireImport is an import and how far it has come.
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
}

func showImport(i imports.Import) wireImport {
	shown := wireImport{
		ID: i.ID, AccountID: i.AccountID, Kind: i.Kind, Format: i.Format, CreateCompanies: i.CreateCompanies, Status: i.Status, Total: i.Total,
		Processed: i.Processed, Created: i.Created, Duplicates: i.Duplicates, Failed: i.Failed, Error: i.Error, CreatedBy: i.CreatedBy,
		CreatedAt: wire.Time(i.CreatedAt), UpdatedAt: wire.Time(i.UpdatedAt),
	}
	if i.FinishedAt != nil {
		shown.FinishedAt = wire.Time(*i.FinishedAt)
	}
	return shown
}

// startImport takes in a file of one kind, of whatever size. Once the import exists, all that is wrong with the file
// is told by it.
func (a *API) startImport(kind string) handler {
	return func(c *gin.Context) error {
		params := request.ReadQuery(c.Request)
		order := imports.Request{ID: uuid.New(), Kind: kind, CreateCompanies: params.Boolean("create_companies"), RequestID: requestIDOf(c)}
		if err := params.Err(); err != nil {
			return err
		}
		file, err := openImport(c, kind)
		if err != nil {
			return err
		}
		if order.AccountID, err = pathID(c, "account_id"); err != nil {
			return err
		}
		received, err := a.takeImport(c, order, file)
		if err != nil {
			return err
		}
		return a.accepted(c, received)
	}
}

// takeImport receives a file to its end.
func (a *API) takeImport(c *gin.Context, order imports.Request, file *importFile) (imports.Import, error) {
	caller, _ := callerOf(c)
	order.Format = file.format
	leave, err := a.admission.enter(caller.UserID)
	if err != nil {
		return imports.Import{}, err
	}
	defer leave()
	idempotency.Remember(c.Request.Context(), importReference{AccountID: order.AccountID, ID: order.ID})
	begun, err := a.Imports.Begin(c.Request.Context(), caller.UserID, order)
	if err != nil {
		return imports.Import{}, err
	}
	received, err := a.Imports.Receive(idempotency.Without(c.Request.Context()), begun, order.RequestID, a.admission.store, file)
	if err != nil {
		return imports.Import{}, err
	}
	request.Drain(c.Writer, c.Request) // of a file that was not read to its end
	return received, nil
}

func (a *API) accepted(c *gin.Context, i imports.Import) error {
	return a.answer(c, http.StatusAccepted, gin.H{"import": showImport(i)})
}

// importReference is by what the answer to an import can be given anew.
type importReference struct {
	AccountID uuid.UUID `json:"account_id"`
	ID        uuid.UUID `json:"id"`
}

// recallImport answers for an import that a lost process received.
func (a *API) recallImport(c *gin.Context, reference json.RawMessage) error {
	var made importReference
	if err := json.Unmarshal(reference, &made); err != nil {
		return fmt.Errorf("read the reference of an import: %w", err)
	}
	found, err := a.Imports.Get(c.Request.Context(), identityOf(c), made.AccountID, made.ID)
	if err != nil {
		return err
	}
	return a.accepted(c, found)
}

func (a *API) listImports(c *gin.Context) error {
	params := request.ReadQuery(c.Request)
	page := params.Page(a.Secrets)
	if err := params.Err(); err != nil {
		return err
	}
	accountID, err := pathID(c, "account_id")
	if err != nil {
		return err
	}
	found, next, err := a.Imports.List(c.Request.Context(), identityOf(c), accountID, page.Page)
	if err != nil {
		return err
	}
	return a.ok(c, gin.H{"imports": showAll(found, showImport), "pagination": page.Pagination(next)})
}

func (a *API) getImport(c *gin.Context) error {
	return readRecord(a, c, recordOf{"import_id", "import"}, a.Imports.Get, showImport)
}

func (a *API) cancelImport(c *gin.Context) error {
	accountID, id, err := recordIDs(c, "import_id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	return answerOnce(a, c, http.StatusOK, func(ctx context.Context) (imports.Import, error) {
		return a.Imports.Cancel(ctx, caller.UserID, accountID, id)
	}, func(cancelled imports.Import) any { return gin.H{"import": showImport(cancelled)} })
}

// errorsAtOnce is how many row errors are read at a time.
const errorsAtOnce = 1000

// wireRowError is a line of the row errors.
type wireRowError struct {
	Row    int64  `json:"row"`
	Reason string `json:"reason"`
}

// importErrors streams the errors of rows as NDJSON.
func (a *API) importErrors(c *gin.Context) error {
	accountID, id, err := recordIDs(c, "import_id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	for after, first := int64(0), true; ; first = false {
		found, err := a.Imports.Errors(c.Request.Context(), caller.UserID, accountID, id, after, errorsAtOnce)
		if err != nil {
			return err
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
			return err
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
