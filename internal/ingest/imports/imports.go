// Package imports takes in emails, form submissions and companies in bulk. An import is a file of any size: it is cut
// into batches as it arrives, each durable before the next is read, and a worker writes them in order, each in one
// transaction with the counters of the import.
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
	"dealflow/internal/watch"
	"dealflow/internal/work"
)

// Kinds of import: what its rows are.
const (
	KindEmails    = "emails"
	KindForms     = "form-submissions"
	KindCompanies = "companies"
	KindAccount   = "account" // an export, see package transfer
)

// Kinds returns every kind.
func Kinds() []string { return []string{KindCompanies, KindEmails, KindForms} }

// Formats of a file. Every kind comes as NDJSON, submissions and companies as CSV too, emails as mbox or as one
// message.
const (
	FormatNDJSON = "ndjson"
	FormatCSV    = "csv"
	FormatMbox   = "mbox"
	FormatEML    = "eml"
)

// Statuses of an import. The last three are its end.
const (
	StatusReceiving = "receiving" // the file still arrives; what has arrived is being written
	StatusRunning   = "running"   // all that will arrive has
	StatusCompleted = "completed"
	StatusFailed    = "failed" // Error says why; rows counted as created are there all the same
	StatusCancelled = "cancelled"
)

// WorkImport is the kind of work that writes the batches of an import.
const WorkImport = "ingest.import"

// Import is a file that was sent, and how far it has come.
type Import struct {
	ID              uuid.UUID
	AccountID       uuid.UUID
	Kind            string
	Format          string
	CreateCompanies bool
	Status          string
	Total           int64 // rows that have arrived
	Processed       int64 // Created, Duplicates and Failed together
	Created         int64
	Duplicates      int64
	Failed          int64
	Error           *string // what is wrong with the whole; it may be set before the import has ended
	Batches         int     // stored
	Written         int     // of these, in the tables
	WorkID          *uuid.UUID
	CreatedBy       uuid.UUID
	SeenAt          time.Time // when its receiver last showed that it lives
	CreatedAt       time.Time
	UpdatedAt       time.Time
	FinishedAt      *time.Time

	Undo
}

// Over reports whether no more of it will be written.
func (i Import) Over() bool { return i.Status != StatusReceiving && i.Status != StatusRunning }

// RowError says what is wrong with a row.
type RowError struct {
	ImportID  uuid.UUID `gorm:"primaryKey"`
	Row       int64     `gorm:"primaryKey"` // the first row of data is 1
	AccountID uuid.UUID
	Reason    string
}

// TableName is what gorm would not guess.
func (RowError) TableName() string { return "import_errors" }

// Deps are what the service is made of.
type Deps struct {
	DB     *postgres.DB
	Blobs  *blob.Store
	Work   *work.Store
	Logger *slog.Logger

	MaxRowSize int64 // bytes of one row; a larger one is an error of its own. 0: 40 MiB
	// how often a receiver shows that it lives, and rows wait for their batch at most; 0: defaultHeartbeat
	Heartbeat time.Duration
	Patience  time.Duration // how long a receiver tries to reach the database before it gives up; 0: defaultPatience
}

// Service receives imports and shows them.
type Service struct {
	db         *postgres.DB
	blobs      *blob.Store
	work       *work.Store
	logger     *slog.Logger
	maxRowSize int64
	heartbeat  time.Duration
	patience   time.Duration
}

// New returns a service.
func New(deps Deps) *Service {
	return &Service{
		db: deps.DB, blobs: deps.Blobs, work: deps.Work, logger: deps.Logger,
		maxRowSize: cmp.Or(deps.MaxRowSize, defaultRowSize), heartbeat: cmp.Or(deps.Heartbeat, defaultHeartbeat),
		patience: cmp.Or(deps.Patience, defaultPatience),
	}
}

// NewWatcher returns a watcher of imports.
func NewWatcher(db *postgres.DB, log *slog.Logger) *watch.Watcher {
	return watch.New("imports", db.Versions("SELECT id, changed FROM app_import_changes($1)"), log)
}

// List returns a page of the account's imports, the newest first, and where the next begins; nil at the end. NotFound
// or Forbidden where the account is not the caller's.
func (s *Service) List(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, page postgres.Page,
) ([]Import, *postgres.Place, error) {
	var rows []Import
	err := account.Read(ctx, s.db, who, accountID, postgres.Found(s.db, &rows, func(tx *gorm.DB) *gorm.DB {
		return page.Of(postgres.Newest())(tx.Where("account_id = ?", accountID)).Find(&[]Import{})
	}))
	if err != nil {
		return nil, nil, fmt.Errorf("list imports: %w", err)
	}
	rows, next := postgres.Cut(page, rows, func(i *Import) postgres.Place { return postgres.At(i.CreatedAt, i.ID) })
	return rows, next, nil
}

// Get returns one of the account's imports: NotFound where there is none; NotFound or Forbidden where the account is
// not the caller's.
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

// Errors returns up to limit row errors of an import behind the given row, in the order of rows. It refuses as Get
// does.
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

// Cancel ends an import: no further batch is written, what was written stays. Conflict where it has ended already;
// else it refuses as Get does.
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
