// Package company keeps the deals: companies with their deck, attachments, assignees and shares. Package aicreation
// creates companies from texts, package analyst analyzes them, and package httpapi serves them.
package company

import (
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/blob"
	"dealflow/internal/company/plain"
	"dealflow/internal/company/upload"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/watch"
	"dealflow/internal/work"
)

// Visibility levels. A company with the visibility "team" is seen by every member of the account, a "shared" company by
// its creator, its assignees and those it is shared with, and a "private" company by its creator alone.
const (
	VisibilityTeam    = "team"
	VisibilityShared  = "shared"
	VisibilityPrivate = "private"
)

// Roles of a file. Several PDFs of one company are undecided until its analysis has picked the deck.
const (
	RoleDeck       = "deck"
	RoleAttachment = "attachment"
	RoleUndecided  = "undecided"
)

// Types of an attachment: an uploaded file, or a link to something elsewhere.
const (
	TypeFile = "file"
	TypeLink = "link"
)

// PDF is the media type of the files whose text is read.
const PDF = "application/pdf"

// Company is a deal opportunity.
type Company struct {
	plain.Fields[*string]

	ID              uuid.UUID
	AccountID       uuid.UUID
	Name            string
	DeckStoragePath *string
	Visibility      string
	Source          string
	SourceContent   *string
	CompanyStatusID *uuid.UUID
	Metadata        json.RawMessage // an object
	ExternalID      *string         // identifies an imported company when its file is sent again
	// the names, separated by spaces, of fields that people changed and that no analysis may change: see EditedFields
	Edited    string
	CreatedBy uuid.UUID
	UpdatedBy uuid.UUID
	CreatedAt time.Time
	UpdatedAt time.Time
}

// File is a deck or an attachment of a company.
type File struct {
	ID               uuid.UUID
	AccountID        uuid.UUID
	CompanyID        uuid.UUID
	Role             string
	AttachmentType   string
	Position         int // N of the form field "file_N"; a later attachment has upload.MaxFiles
	Title            string
	Description      *string
	StoragePath      *string
	LinkURL          *string
	SizeBytes        *int64
	MediaType        *string
	OriginalFilename *string
	SHA256           *string `gorm:"column:sha256"` // of the content, in hexadecimal
	CreatedBy        uuid.UUID
	CreatedAt        time.Time
	UpdatedAt        time.Time
}

// TableName returns the name of the table, which gorm would not guess.
func (File) TableName() string { return "company_files" }

// View is a company as it is shown to a caller. Status is nil if the company has none, and Assignees is never nil. Deck
// is nil if the company has none or the query did not ask for it; of its fields, only ID, CompanyID, Role, Title,
// OriginalFilename and StoragePath are set.
type View struct {
	Company

	Status    *pipeline.Status
	Assignees []account.User
	Deck      *File
}

// Deps are the dependencies of the service. All are required.
type Deps struct {
	DB      *postgres.DB
	Blobs   *blob.Store
	Uploads *upload.Store
	Work    *work.Store
}

// Service makes, changes, shows and removes companies. It is safe for concurrent use.
type Service struct {
	db      *postgres.DB
	blobs   *blob.Store
	uploads *upload.Store
	work    *work.Store
}

// New returns a service.
func New(deps Deps) *Service {
	return &Service{db: deps.DB, blobs: deps.Blobs, uploads: deps.Uploads, work: deps.Work}
}

// Text returns the text from which the company was created, as it was sent; "" if there is none, or if the company is
// from a list, which does not read it.
func (c Company) Text() string {
	if c.SourceContent == nil {
		return ""
	}
	return *c.SourceContent
}

// NewWatcher returns a watcher that notices changes of companies, their files, their findings and who sees them, once
// its Run is called.
func NewWatcher(db *postgres.DB, log *slog.Logger) *watch.Watcher {
	return watch.New("companies", db.Versions("SELECT id, changed FROM app_company_changes($1)"), log)
}

// Sources returns the possible values of a company's source.
func Sources() []string {
	return []string{"manual", "email", "form", "referral", "website", "event", "other"}
}

// Visibilities returns the possible values of a company's visibility.
func Visibilities() []string {
	return []string{VisibilityPrivate, VisibilityShared, VisibilityTeam}
}

// IsSource reports whether a company may have this source.
func IsSource(s string) bool { return slices.Contains(Sources(), s) }

// IsVisibility reports whether a company may have this visibility.
func IsVisibility(s string) bool { return slices.Contains(Visibilities(), s) }
