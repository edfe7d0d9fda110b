// Package transfer moves accounts between installations. An export is a stream of lines, each a JSON object with a type
// and data; a line refers only to lines before it. A restore writes such lines back. No line contains a secret: keys,
// sessions, integrations and shared links are left out.
package transfer

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/blob"
	"dealflow/internal/email"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Version is the version of the lines that Export writes. Restore also reads earlier versions.
const Version = 1

// Types of lines, in the order in which Export writes them.
const (
	TypeHeader       = "header"
	TypeAccount      = "account"
	TypeMember       = "member"
	TypeStatus       = "status"
	TypeField        = "field"
	TypeView         = "saved_view"
	TypeCompany      = "company"
	TypeFile         = "file"
	TypeMinutes      = "meeting_minutes"
	TypeSubmission   = "form_submission"
	TypeEmail        = "email"
	TypeEmailFile    = "email_attachment"
	TypeEmailMessage = "email_message"
	TypeActivity     = "activity"
	TypeMerge        = "company_merge"
	TypeEnd          = "end"
)

// Kinds of things that can be exported separately, with their files.
const (
	KindCompanies   = "companies"
	KindMinutes     = "meeting-minutes"
	KindSubmissions = "form-submissions"
	KindEmails      = "emails"
)

// Kinds returns every kind of things that can be exported separately.
func Kinds() []string { return []string{KindCompanies, KindMinutes, KindSubmissions, KindEmails} }

// isOf reports whether lines of a kind belong to an export of the wanted kind. kind is "" for lines that belong to no
// kind; wanted is "" for an export of all lines.
func isOf(kind, wanted string) bool { return wanted == "" || kind == wanted }

const (
	// exportLimit is how long an export may read one snapshot. A client that reads too slowly is disconnected long
	// before.
	exportLimit = time.Hour
	// exportsAtOnce is how many exports a process serves at once. Each holds a database connection while it reads
	// rows.
	exportsAtOnce = 2
)

// Deps are the dependencies of the service. All are required.
type Deps struct {
	DB          *postgres.DB
	Blobs       *blob.Store
	Emails      *email.Service
	MaxFileSize int64 // bytes
	Logger      *slog.Logger
	Now         func() time.Time
}

// Service exports accounts and restores them.
type Service struct {
	Deps

	slots chan struct{}
}

// New returns a service.
func New(deps Deps) *Service { return &Service{Deps: deps, slots: make(chan struct{}, exportsAtOnce)} }

// enter takes one of the exportsAtOnce slots; the caller must call leave once. The error is Unavailable if all are
// taken.
func (s *Service) enter() (leave func(), err error) {
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots }, nil
	default:
		return nil, fault.New(fault.Unavailable, "overloaded", fault.Detail{
			Field: "service", Message: "as many exports as may run at once are running: try again later",
		})
	}
}

// snapshot calls fn with a snapshot of the database as the caller who, if they are an owner or admin of the account.
// The error is NotFound or Forbidden if they are not, Unavailable if too many exports run, and otherwise that of fn or
// of postgres.DB.Snapshot.
func (s *Service) snapshot(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, fn func(context.Context, *postgres.Snapshot) error,
) error {
	leave, err := s.enter()
	if err != nil {
		return err
	}
	defer leave()
	return s.DB.Snapshot(ctx, who, exportLimit, func(ctx context.Context, read *postgres.Snapshot) error {
		var role string
		if err := read.Ask(ctx, account.IsMember(&role, accountID)); err != nil {
			return err
		}
		if role == account.RoleMember {
			return fault.NewForbidden()
		}
		return fn(ctx, read)
	})
}
