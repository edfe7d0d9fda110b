// Package email keeps the emails that a team receives, and which companies they are about. Every member of an account
// sees its emails; whether an email is about a company is shown only to those who see the company.
package email

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/blob"
	"dealflow/internal/company/match"
	"dealflow/internal/postgres"
)

// Email is one message as it was received.
type Email struct {
	ID               uuid.UUID
	AccountID        uuid.UUID
	ExternalID       string // Message-ID, or what else identifies it in the account
	FromEmail        string
	FromName         string
	ToEmails         postgres.Strings
	Subject          *string
	Content          string // plain text; empty in lists
	ContentPreview   string
	Tags             postgres.Strings
	AttachmentsCount int
	Processed        bool
	Metadata         json.RawMessage // an object; nil in lists
	RawStoragePath   *string         // the MIME message as it came; nil if it came in another shape
	CreatedAt        time.Time       // when it arrived here
	UpdatedAt        time.Time
}

// Attachment is a file of an email; its content is in storage.
type Attachment struct {
	ID          uuid.UUID
	AccountID   uuid.UUID
	EmailID     uuid.UUID
	Position    int // order in the email
	Filename    string
	ContentType string
	SizeBytes   int64
	StoragePath string
	CreatedAt   time.Time
}

// TableName returns the name of the table, which gorm would not guess.
func (Attachment) TableName() string { return "email_attachments" }

// Link says that an email is about a company.
type Link struct {
	EmailID   uuid.UUID `gorm:"primaryKey"`
	CompanyID uuid.UUID `gorm:"primaryKey"`
	AccountID uuid.UUID
	CreatedAt time.Time
}

// TableName returns the name of the table, which gorm would not guess.
func (Link) TableName() string { return "email_companies" }

// View is an email with its companies and attachments.
type View struct {
	Email

	CompanyIDs  []uuid.UUID // of those companies that the user sees, in the order in which they were linked
	Attachments []Attachment
}

// Service keeps the emails. It is safe for concurrent use.
type Service struct {
	db        *postgres.DB
	blobs     *blob.Store
	companies *match.Matcher
}

// New returns a service that keeps emails in the database, and their files in the storage.
func New(db *postgres.DB, blobs *blob.Store) *Service {
	return &Service{db: db, blobs: blobs, companies: match.New()}
}

// Get returns one of the account's emails. The error is NotFound if there is no such account or the account has no such
// email, and Forbidden if the caller is not a member of the account.
func (s *Service) Get(ctx context.Context, who *postgres.Identity, accountID, id uuid.UUID) (View, error) {
	var parts viewParts
	if err := account.Read(ctx, s.db, who, accountID, parts.queries(s.db, accountID, id)...); err != nil {
		return View{}, fmt.Errorf("read email %s: %w", id, err)
	}
	return parts.view()
}

// viewParts are the rows of a view.
type viewParts struct {
	emails []Email
	links  []Link
	files  []Attachment
}

func (p *viewParts) queries(db *postgres.DB, accountID, id uuid.UUID) []postgres.Query {
	return []postgres.Query{
		postgres.Found(db, &p.emails, func(tx *gorm.DB) *gorm.DB {
			return tx.Where("account_id = ? AND id = ?", accountID, id).Find(&[]Email{})
		}),
		postgres.Found(db, &p.links, func(tx *gorm.DB) *gorm.DB {
			return tx.Where("email_id = ?", id).Order("created_at, company_id").Find(&[]Link{})
		}),
		postgres.Found(db, &p.files, func(tx *gorm.DB) *gorm.DB {
			return tx.Where("email_id = ?", id).Order("position, id").Find(&[]Attachment{})
		}),
	}
}

func (p *viewParts) view() (View, error) {
	found, err := postgres.One(p.emails)
	view := View{Email: found, CompanyIDs: make([]uuid.UUID, len(p.links)), Attachments: p.files}
	for i, link := range p.links {
		view.CompanyIDs[i] = link.CompanyID
	}
	return view, err
}

// load returns an email as the transaction's user sees it. The error is NotFound if there is none.
func (s *Service) load(tx *postgres.Tx, accountID, id uuid.UUID) (View, error) {
	var parts viewParts
	for _, query := range parts.queries(s.db, accountID, id) {
		tx.Put(query)
	}
	if err := tx.Send(); err != nil {
		return View{}, fmt.Errorf("load email %s: %w", id, err)
	}
	return parts.view()
}
