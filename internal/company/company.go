// Package company keeps the deals: companies with their deck, attachments, assignees and shares. It holds the rules
// of AI company creation; the analysis itself is package analysis, the HTTP door package httpapi.
package company

import (
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/blob"
	"dealflow/internal/company/upload"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/watch"
	"dealflow/internal/work"
)

// Visibility levels: every member of the account; its creator, assignees and those it is shared with; its creator
// alone.
const (
	VisibilityTeam    = "team"
	VisibilityShared  = "shared"
	VisibilityPrivate = "private"
)

// Roles of a file. It is undecided until the analysis has picked the deck of several.
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

// PDF is the media type of what the workers read.
const PDF = "application/pdf"

// Untitled is the name of a company whose name nothing says.
const Untitled = "Untitled company"

// Company is a deal opportunity.
type Company struct {
	PlainFields[*string]

	ID              uuid.UUID
	AccountID       uuid.UUID
	Name            string
	DeckStoragePath *string
	Visibility      string
	Source          string
	SourceContent   *string
	CompanyStatusID *uuid.UUID
	Metadata        json.RawMessage // an object
	ExternalID      *string         // by which an imported company is known when its file is sent again
	// what people have set since the intake and the analysis leaves alone, separated by spaces: see Change
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
	Position         int // N of the upload's file_N
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

// TableName is what gorm would not guess.
func (File) TableName() string { return "company_files" }

// View is what a caller is shown of a company.
type View struct {
	Company

	Status    *pipeline.Status
	Assignees []account.User
	Deck      *File
}

// Deps are what the service is made of.
type Deps struct {
	DB      *postgres.DB
	Blobs   *blob.Store
	Uploads *upload.Store
	Work    *work.Store
}

// Service makes, changes, shows and removes companies.
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

// Text is the text as sent, "" where there is none.
func (c Company) Text() string {
	if c.SourceContent == nil {
		return ""
	}
	return *c.SourceContent
}

// NewWatcher returns a watcher of companies, with what is found of them, their files, and who sees them.
func NewWatcher(db *postgres.DB, log *slog.Logger) *watch.Watcher {
	return watch.New("companies", db.Versions("SELECT id, changed FROM app_company_changes($1)"), log)
}

// Sources returns the values of a company's source.
func Sources() []string {
	return []string{"manual", "email", "form", "referral", "website", "event", "other"}
}

// Visibilities returns the values of a company's visibility.
func Visibilities() []string {
	return []string{VisibilityPrivate, VisibilityShared, VisibilityTeam}
}

// IsSource reports whether a company may have this source.
func IsSource(s string) bool { return slices.Contains(Sources(), s) }

// IsVisibility reports whether a company may have this visibility.
func IsVisibility(s string) bool { return slices.Contains(Visibilities(), s) }
