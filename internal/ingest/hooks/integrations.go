// Package hooks keeps the integrations of accounts, and stores the mails and form submissions that other services send
// to the URLs of integrations.
package hooks

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/blank"
	"dealflow/internal/fault"
	"dealflow/internal/form"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// FromEmail is the kind of an integration that receives mails. Every other kind is the name of a form tool.
const FromEmail = "email"

// SecretPrefix is the beginning of the secret of an integration.
const SecretPrefix = "whsec_"

// The names of an integration's members that are encrypted.
const (
	sealedToken      = "token"
	sealedSecret     = "secret"
	sealedSigningKey = "signing_key"
)

// Integration lets another service send submissions or mails to an account. It does not have the secret, which only
// functions of the database can read.
type Integration struct {
	ID              uuid.UUID
	AccountID       uuid.UUID
	Kind            string
	Name            string
	Enabled         bool
	CreateCompanies bool
	Token           []byte // encrypted
	CreatedBy       uuid.UUID
	CreatedAt       time.Time
	UpdatedAt       time.Time

	HookToken string `gorm:"-"` // Token decrypted: the last part of the URL
}

// NewIntegration has what a client sends to create an integration.
type NewIntegration struct {
	Kind            string
	Name            string
	CreateCompanies bool
}

// Change is a change of an integration. A nil member leaves its value unchanged.
type Change struct {
	Name            *string
	Enabled         *bool
	CreateCompanies *bool
	SigningKey      **string // Mailgun's; a pointer to nil removes it
}

// Deps are the dependencies and limits of a Service. All are required.
type Deps struct {
	Receiver    *Receiver
	Secrets     [][]byte // at least one; the first encrypts, each may decrypt
	Now         func() time.Time
	MaxJSONSize int64 // bytes of a form's submission
	MaxMailSize int64 // bytes of a mail as it is sent
}

// Service keeps the integrations of accounts and receives what is sent to them. It is safe for concurrent use.
type Service struct {
	receiver    *Receiver
	secrets     *box
	now         func() time.Time
	maxJSONSize int64
	maxMailSize int64
	reading     chan struct{} // buffered: bounds how many mails are parsed at once
}

// New returns a Service. It returns an error if deps.Secrets is empty.
func New(deps Deps) (*Service, error) {
	secrets, err := newBox(deps.Secrets)
	if err != nil {
		return nil, err
	}
	return &Service{
		receiver: deps.Receiver, secrets: secrets, now: deps.Now, maxJSONSize: deps.MaxJSONSize,
		maxMailSize: deps.MaxMailSize,
		reading:     make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
	}, nil
}

// asAdmin runs fn in a transaction of the user. The error is NotFound if there is no such account, Forbidden if the
// user is neither an owner nor an admin of it, otherwise that of fn or of the database.
func (s *Service) asAdmin(ctx context.Context, user, accountID uuid.UUID, fn func(*postgres.Tx) error) error {
	return s.receiver.db.As(ctx, user, forAdmin(accountID, fn))
}

func (s *Service) writeAsAdmin(ctx context.Context, user, accountID uuid.UUID, fn func(*postgres.Tx) error) error {
	return s.receiver.db.Write(ctx, user, forAdmin(accountID, fn))
}

func forAdmin(accountID uuid.UUID, fn func(*postgres.Tx) error) func(*postgres.Tx) error {
	return func(tx *postgres.Tx) error {
		if err := account.RequireAdmin(tx, accountID); err != nil {
			return err
		}
		return fn(tx)
	}
}

// List returns a page of the account's integrations, the oldest first, and the position of the next page, nil if there
// is none. The error is NotFound if there is no such account, and Forbidden if the user is neither an owner nor an
// admin of it.
func (s *Service) List(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, page paging.Page,
) ([]Integration, *paging.Position, error) {
	var found []Integration
	err := account.ReadAsAdmin(ctx, s.receiver.db, who, accountID,
		postgres.Found(s.receiver.db, &found, func(tx *gorm.DB) *gorm.DB {
			return page.Of(paging.Oldest())(tx.Where("account_id = ?", accountID)).Find(&[]Integration{})
		}))
	if err != nil {
		return nil, nil, fmt.Errorf("list integrations: %w", err)
	}
	for i := range found {
		if err := s.unseal(&found[i]); err != nil {
			return nil, nil, err
		}
	}
	found, next := paging.Cut(page, found, func(i *Integration) paging.Position { return paging.At(i.CreatedAt, i.ID) })
	return found, next, nil
}

func (s *Service) unseal(i *Integration) (err error) {
	i.HookToken, err = s.secrets.open(i.ID, sealedToken, i.Token)
	return err
}

// Create stores an integration and returns it with its secret, which cannot be read later. The error is InvalidBody for
// an invalid kind or name, NotFound if there is no such account, Forbidden if the user is neither an owner nor an admin
// of it, and Conflict if it has maxIntegrations.
func (s *Service) Create(ctx context.Context, user, accountID uuid.UUID, in NewIntegration) (Integration, string,
	error,
) {
	if err := in.Check(); err != nil {
		return Integration{}, "", err
	}
	id, token, secret := uuid.New(), strings.ToLower(rand.Text()+rand.Text()), newHookSecret()
	hash := sha256.Sum256([]byte(token))
	var made Integration
	err := s.writeAsAdmin(ctx, user, accountID, func(tx *postgres.Tx) error {
		count, err := tx.CountAlone("integrations of "+accountID.String(),
			tx.Model(&Integration{}).Where("account_id = ?", accountID))
		if err != nil {
			return err
		}
		if count >= maxIntegrations {
			return fault.New(fault.Conflict, "too_many_integrations",
				fault.Detail{Field: "kind", Message: "the account has as many as it may: delete one"})
		}
		stored := tx.Exec(`INSERT INTO integrations (id, account_id, kind, name, create_companies, token_hash, token, secret,
			created_by)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, id, accountID, in.Kind, blank.Trim(in.Name), in.CreateCompanies,
			hash[:], s.secrets.seal(id, sealedToken, token),
			s.secrets.seal(id, sealedSecret, secret), user)
		if stored.Error != nil {
			return fmt.Errorf("store the integration: %w", stored.Error)
		}
		err = s.load(tx, accountID, id, &made)
		tx.Made(made)
		return err
	})
	return made, secret, err
}

func newHookSecret() string { return SecretPrefix + rand.Text() + rand.Text() }

// Check returns InvalidBody for an invalid kind or name, else nil.
func (in NewIntegration) Check() error {
	var wrong []fault.Detail
	if _, isTool := form.ToolNamed(in.Kind); !isTool && in.Kind != FromEmail {
		wrong = fault.Note(wrong, "kind", "must be "+strings.Join(form.ToolNames(), ", ")+" or email")
	}
	if problem := checkIntegrationName(in.Name); problem != nil {
		wrong = append(wrong, *problem)
	}
	if len(wrong) > 0 {
		return fault.New(fault.InvalidBody, "invalid_field", wrong...)
	}
	return nil
}

func checkIntegrationName(name string) *fault.Detail {
	switch {
	case blank.Is(name):
		return &fault.Detail{Field: "name", Message: "is required and must hold something besides white space"}
	case utf8.RuneCountInString(name) > maxIntegrationName:
		return &fault.Detail{Field: "name", Message: fmt.Sprintf("has more than %d characters", maxIntegrationName)}
	}
	return nil
}

func (s *Service) load(tx *postgres.Tx, accountID, id uuid.UUID, into *Integration) error {
	*into = Integration{}
	err := tx.First(into, "account_id = ? AND id = ?", accountID, id).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return fault.NewNotFound()
	}
	if err != nil {
		return fmt.Errorf("load integration %s: %w", id, err)
	}
	return s.unseal(into)
}

// Change changes an integration and returns it. The error is NotFound if there is no such account or it has no such
// integration; Forbidden if the user is neither an owner nor an admin of the account; InvalidBody for an invalid name
// or signing key, and for a signing key of an integration that is not of the kind email.
func (s *Service) Change(ctx context.Context, user, accountID, id uuid.UUID, c Change) (Integration, error) {
	var changed Integration
	if err := c.Check(); err != nil {
		return changed, err
	}
	err := s.asAdmin(ctx, user, accountID, func(tx *postgres.Tx) error {
		if err := s.load(tx, accountID, id, &changed); err != nil {
			return err
		}
		if c.SigningKey != nil && *c.SigningKey != nil && changed.Kind != FromEmail {
			return fault.Field("signing_key", "is Mailgun's: only an integration of the kind email has one")
		}
		return s.update(tx, accountID, id, s.columnsOf(id, c), &changed)
	})
	return changed, err
}

// Check returns InvalidBody for an invalid name or signing key, else nil. It does not check whether the integration is
// of the kind that has a signing key.
func (c Change) Check() error {
	var wrong []fault.Detail
	if c.Name != nil {
		if problem := checkIntegrationName(*c.Name); problem != nil {
			wrong = append(wrong, *problem)
		}
	}
	if c.SigningKey != nil && *c.SigningKey != nil {
		if key := **c.SigningKey; strings.TrimSpace(key) == "" || utf8.RuneCountInString(key) > maxSigningKey {
			wrong = fault.Note(wrong, "signing_key", fmt.Sprintf("must have 1 to %d characters; null takes it away",
				maxSigningKey))
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.InvalidBody, "invalid_field", wrong...)
	}
	return nil
}

func (s *Service) columnsOf(id uuid.UUID, c Change) map[string]any {
	columns := map[string]any{}
	if c.Name != nil {
		columns["name"] = blank.Trim(*c.Name)
	}
	if c.Enabled != nil {
		columns["enabled"] = *c.Enabled
	}
	if c.CreateCompanies != nil {
		columns["create_companies"] = *c.CreateCompanies
	}
	if c.SigningKey != nil {
		columns["signing_key"] = []byte(nil)
		if *c.SigningKey != nil {
			columns["signing_key"] = s.secrets.seal(id, sealedSigningKey, strings.TrimSpace(**c.SigningKey))
		}
	}
	return columns
}

func (s *Service) update(tx *postgres.Tx, accountID, id uuid.UUID, columns map[string]any, into *Integration) error {
	columns["updated_at"] = gorm.Expr("now()")
	done := tx.Model(&Integration{}).Where("account_id = ? AND id = ?", accountID, id).Updates(columns)
	if done.Error != nil {
		return fmt.Errorf("change integration %s: %w", id, done.Error)
	}
	return s.load(tx, accountID, id, into) // NotFound where nothing was there to change
}

// Rotate replaces the secret of an integration and returns the integration with the new secret, which cannot be read
// later. The old one is refused at once; the URL does not change. The error is NotFound or Forbidden as in Change.
func (s *Service) Rotate(ctx context.Context, user, accountID, id uuid.UUID) (Integration, string, error) {
	var rotated Integration
	secret := newHookSecret()
	err := s.writeAsAdmin(ctx, user, accountID, func(tx *postgres.Tx) error {
		err := s.update(tx, accountID, id, map[string]any{"secret": s.secrets.seal(id, sealedSecret, secret)}, &rotated)
		tx.Made(rotated)
		return err
	})
	return rotated, secret, err
}

// Delete deletes an integration with its receipts: requests to its URL are refused with NotFound at once. Emails and
// submissions that were stored before remain, but a mail whose receipt still waits is not stored any more. The error is
// NotFound or Forbidden as in Change.
func (s *Service) Delete(ctx context.Context, user, accountID, id uuid.UUID) error {
	return s.asAdmin(ctx, user, accountID, func(tx *postgres.Tx) error {
		done := tx.Where("account_id = ? AND id = ?", accountID, id).Delete(&Integration{})
		if done.Error != nil {
			return fmt.Errorf("delete integration %s: %w", id, done.Error)
		}
		if done.RowsAffected == 0 {
			return fault.NewNotFound()
		}
		return nil
	})
}

// Receipts returns a page of the receipts of an integration, of any status, the newest first, and the position of the
// next page, nil if there is none. The error is NotFound or Forbidden as in Change.
func (s *Service) Receipts(
	ctx context.Context, who *postgres.Identity, accountID, id uuid.UUID, page paging.Page,
) ([]Receipt, *paging.Position, error) {
	var exists bool
	var found []Receipt
	err := account.ReadAsAdmin(
		ctx, s.receiver.db, who, accountID,
		postgres.Value(&exists, "SELECT EXISTS (SELECT 1 FROM integrations WHERE account_id = $1 AND id = $2)", accountID,
			id).Then(func() error {
			if !exists {
				return fault.NewNotFound()
			}
			return nil
		}),
		postgres.Found(s.receiver.db, &found, func(tx *gorm.DB) *gorm.DB {
			return page.Of(paging.Newest())(tx.Where("account_id = ? AND integration_id = ?", accountID,
				id)).Find(&[]Receipt{})
		}),
	)
	if err != nil {
		return nil, nil, fmt.Errorf("list receipts: %w", err)
	}
	found, next := paging.Cut(page, found, func(r *Receipt) paging.Position { return paging.At(r.CreatedAt, r.ID) })
	return found, next, nil
}
