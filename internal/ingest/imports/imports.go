// Package imports stores emails, form submissions and companies in bulk. An import is a file of any size. As the file
// arrives, it is split into batches of rows, each of which is durable before the next is stored. A worker writes the
// batches in order, each in one transaction with the counters of the import.
package imports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/blob"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/watch"
	"dealflow/internal/work"
)

// Kinds of import, by what a row of the file is.
const (
	KindEmails    = "emails"
	KindForms     = "form-submissions"
	KindCompanies = "companies"
	KindAccount   = "account" // lines of an export of an account: see package transfer
)

// Kinds returns every kind of import except KindAccount, in alphabetical order.
func Kinds() []string { return []string{KindCompanies, KindEmails, KindForms} }

// Formats of a file. Every kind may be NDJSON, submissions and companies also CSV, and emails also an mbox or one
// message (EML).
const (
	FormatNDJSON = "ndjson"
	FormatCSV    = "csv"
	FormatMbox   = "mbox"
	FormatEML    = "eml"
)

// Statuses of an import. The last three are final.
const (
	StatusReceiving = "receiving" // the file still arrives; what has arrived is being written
	StatusRunning   = "running"   // the whole file has arrived; batches are left to write
	StatusCompleted = "completed"
	StatusFailed    = "failed" // Error says why; rows that were written before stay
	StatusCancelled = "cancelled"
)

// WorkImport is the kind of work that writes the batches of an import.
const WorkImport = "ingest.import"

// Import is an import of a file of rows, with the numbers of rows that have been written.
type Import struct {
	ID              uuid.UUID
	AccountID       uuid.UUID
	Kind            string
	Format          string
	CreateCompanies bool
	Status          string
	Total           int64 // rows that have arrived
	Processed       int64 // rows: the sum of Created, Duplicates and Failed
	Created         int64
	Duplicates      int64
	Failed          int64
	Error           *string // why it failed or will fail: it may be set before the import has ended
	Batches         int     // how many have been stored
	Written         int     // how many of these batches are in the tables
	WorkID          *uuid.UUID
	CreatedBy       uuid.UUID
	SeenAt          time.Time // when the process that receives it last reported
	CreatedAt       time.Time
	UpdatedAt       time.Time
	FinishedAt      *time.Time

	Undo
}

// Over reports whether the import has ended, so that no more rows are written.
func (i Import) Over() bool { return i.Status != StatusReceiving && i.Status != StatusRunning }

// RowError says why a row of an import was not stored.
type RowError struct {
	ImportID  uuid.UUID `gorm:"primaryKey"`
	Row       int64     `gorm:"primaryKey"` // the first row of data is 1
	AccountID uuid.UUID
	Reason    string
}

// TableName returns the name of the table, which gorm would not guess.
func (RowError) TableName() string { return "import_errors" }

// Deps are the dependencies of a Service. All are required, except those for which 0 has a meaning.
type Deps struct {
	DB     *postgres.DB
	Blobs  *blob.Store
	Work   *work.Store
	Logger *slog.Logger

	MaxRowSize int64 // bytes; a larger row gets a RowError. 0: 40 MiB
	// how often a receiver reports that it is alive, and how long a row waits for its batch at most; 0:
	// defaultHeartbeat
	Heartbeat time.Duration
	Patience  time.Duration // how long a receiver tries to reach the database; 0: defaultPatience
}

// Service receives the files of imports, and lists, cancels and undoes imports. It is safe for concurrent use.
type Service struct {
	db         *postgres.DB
	blobs      *blob.Store
	work       *work.Store
	logger     *slog.Logger
	maxRowSize int64
	heartbeat  time.Duration
	patience   time.Duration
}

// New returns a Service. It uses the defaults for MaxRowSize, Heartbeat and Patience if they are 0.
func New(deps Deps) *Service {
	return &Service{
		db: deps.DB, blobs: deps.Blobs, work: deps.Work, logger: deps.Logger,
		maxRowSize: cmp.Or(deps.MaxRowSize, defaultRowSize), heartbeat: cmp.Or(deps.Heartbeat, defaultHeartbeat),
		patience: cmp.Or(deps.Patience, defaultPatience),
	}
}

// NewWatcher returns a watcher that notices changes of imports. The caller must call its Run.
func NewWatcher(db *postgres.DB, log *slog.Logger) *watch.Watcher {
	return watch.New("imports", db.Versions("SELECT id, changed FROM app_import_changes($1)"), log)
}

// List returns a page of the account's imports, the newest first, and the position of the next page, nil if there is
// none. The error is NotFound if there is no such account, and Forbidden if the caller is not a member of it.
func (s *Service) List(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, page paging.Page,
) ([]Import, *paging.Position, error) {
	var rows []Import
	err := account.Read(ctx, s.db, who, accountID, postgres.Found(s.db, &rows, func(tx *gorm.DB) *gorm.DB {
		return page.Of(paging.Newest())(tx.Where("account_id = ?", accountID)).Find(&[]Import{})
	}))
	if err != nil {
		return nil, nil, fmt.Errorf("list imports: %w", err)
	}
	rows, next := paging.Cut(page, rows, func(i *Import) paging.Position { return paging.At(i.CreatedAt, i.ID) })
	return rows, next, nil
}

// Get returns one of the account's imports. The error is NotFound if there is no such account or import, and Forbidden
// if the caller is not a member of the account.
func (s *Service) Get(ctx context.Context, who *postgres.Identity, accountID, id uuid.UUID) (Import, error) {
	var rows []Import
	err := account.Read(ctx, s.db, who, accountID, postgres.Found(s.db, &rows, func(tx *gorm.DB) *gorm.DB {
		return tx.Where("account_id = ? AND id = ?", accountID, id).Find(&[]Import{})
	}))
	if err != nil {
		return Import{}, fmt.Errorf("read import %s: %w", id, err)
	}
	return postgres.One(rows)
}

// Errors returns the errors of bad rows of an import whose row numbers are greater than after, up to limit of them, in
// the order of the rows. The error is NotFound or Forbidden as in Get.
func (s *Service) Errors(ctx context.Context, user, accountID, id uuid.UUID, after int64, limit int) ([]RowError,
	error,
) {
	var found []RowError
	err := account.AsMember(ctx, s.db, user, accountID, func(tx *postgres.Tx) error {
		if err := load(tx, accountID, id, &Import{}); err != nil {
			return err
		}
		return tx.Where(`account_id = ? AND import_id = ? AND "row" > ?`, accountID, id,
			after).Order(`"row"`).Limit(limit).Find(&found).Error
	})
	return found, err
}

// Cancel ends an import and returns it: no further batch is written, and the records that were written remain. It
// returns an import that was cancelled before unchanged. The error is NotFound or Forbidden as in Get, and Conflict if
// the import has completed or failed.
func (s *Service) Cancel(ctx context.Context, user, accountID, id uuid.UUID) (Import, error) {
	var changed Import
	err := s.db.Write(ctx, user, account.ForMember(accountID, func(tx *postgres.Tx) error {
		done := tx.Exec(`UPDATE imports SET status = 'cancelled', finished_at = now(), updated_at = now(), work_id = NULL
			WHERE account_id = ? AND id = ? AND status IN ('receiving', 'running')`, accountID, id)
		if done.Error != nil {
			return fmt.Errorf("cancel import %s: %w", id, done.Error)
		}
		if err := load(tx, accountID, id, &changed); err != nil {
			return err
		}
		if done.RowsAffected == 0 && changed.Status != StatusCancelled {
			return fault.New(fault.Conflict, "import_over", fault.Detail{Field: "import_id", Message: "has ended already, as " +
				changed.Status})
		}
		tx.Made(changed)
		return nil
	}))
	return changed, err
}

func load(tx *postgres.Tx, accountID, id uuid.UUID, into *Import) error {
	err := tx.First(into, "account_id = ? AND id = ?", accountID, id).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return fault.NewNotFound()
	}
	if err != nil {
		return fmt.Errorf("load import %s: %w", id, err)
	}
	return nil
}
