// Package webhook sends an account's changes to other services by HTTP, signed by the specification of Standard
// Webhooks. A webhook reads the feed of package changes as the user who created it, and each message is a row that is
// sent until it arrives or a day has passed: see ADR 69.
package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dealflow/internal/account"
	"dealflow/internal/changes"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/reseal"
	"dealflow/internal/seal"
	"dealflow/internal/work"
)

// WorkDeliver is the kind of work that sends a message.
const WorkDeliver = "webhook.deliver"

// Webhook is a receiver of an account's changes.
type Webhook struct {
	ID             uuid.UUID
	AccountID      uuid.UUID
	URL            string
	Description    string
	EventTypes     postgres.Strings // none: all
	Enabled        bool
	DisabledReason *string    // nil unless it was disabled for failing
	FailingSince   *time.Time // nil if its last attempt succeeded, or none was made
	CreatedBy      uuid.UUID
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// Deps are the dependencies of the service. DB, Work, Secrets and Logger are required.
type Deps struct {
	DB           *postgres.DB
	Work         *work.Store
	Secrets      [][]byte             // the first seals, all open; at least one
	AllowPrivate bool                 // whether receivers may have private addresses
	MailBase     string               // the URL of the service in mails; "": none are sent
	Count        func(outcome string) // called with "delivered", "failed" or "given_up"; may be nil
	Logger       *slog.Logger
}

// Service keeps the webhooks of accounts, and sends their messages. It is safe for concurrent use.
type Service struct {
	Deps

	box    *seal.Box
	client *http.Client
}

// New returns the service. It returns an error if deps.Secrets has no usable secret.
func New(deps Deps) (*Service, error) {
	box, err := seal.New(deps.Secrets, sealPurpose)
	if err != nil {
		return nil, err
	}
	if deps.Count == nil {
		deps.Count = func(string) {}
	}
	return &Service{Deps: deps, box: box, client: newClient(deps.AllowPrivate)}, nil
}

// sealPurpose makes the keys that encrypt webhook secrets differ from other keys that are derived from Deps.Secrets.
const sealPurpose = "dealflow webhooks 1"

// Reseal encrypts the secrets of all webhooks again with the first of the secrets, so that the others can be dropped.
// It returns the result and the errors of reseal.All, and an error if there is no secret.
func Reseal(ctx context.Context, db *postgres.DB, secrets [][]byte) (reseal.Result, error) {
	box, err := seal.New(secrets, sealPurpose)
	if err != nil {
		return reseal.Result{}, err
	}
	members := []string{"webhook", "webhook_old"}
	return reseal.All(ctx, db, box, members, func(id uuid.UUID, _ string) string { return id.String() })
}

// asAdmin calls fn in a transaction of the user if they may change the account's settings, and returns the error of fn.
// Otherwise it returns NotFound if there is no such account, else Forbidden.
func (s *Service) asAdmin(ctx context.Context, user, accountID uuid.UUID, fn func(*postgres.Tx) error) error {
	return s.DB.Write(ctx, user, func(tx *postgres.Tx) error {
		if err := account.RequireAdmin(tx, accountID); err != nil {
			return err
		}
		return fn(tx)
	})
}

// List returns a page of the account's webhooks, oldest first, and the position where the next page begins, which is
// nil at the end. The error is NotFound if there is no such account, and Forbidden if the caller is not an owner or
// admin of it.
func (s *Service) List(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, page paging.Page,
) ([]Webhook, *paging.Position, error) {
	var found []Webhook
	err := account.ReadAsAdmin(ctx, s.DB, who, accountID, postgres.Found(s.DB, &found, func(tx *gorm.DB) *gorm.DB {
		return page.Of(paging.Oldest())(tx.Where("account_id = ?", accountID)).Find(&[]Webhook{})
	}))
	if err != nil {
		return nil, nil, fmt.Errorf("list webhooks: %w", err)
	}
	found, next := paging.Cut(page, found, func(w *Webhook) paging.Position { return paging.At(w.CreatedAt, w.ID) })
	return found, next, nil
}

// Get returns a webhook. The errors are those of List, and NotFound if the account has no such webhook.
func (s *Service) Get(ctx context.Context, who *postgres.Identity, accountID, id uuid.UUID) (Webhook, error) {
	var found []Webhook
	err := account.ReadAsAdmin(ctx, s.DB, who, accountID, postgres.Found(s.DB, &found, func(tx *gorm.DB) *gorm.DB {
		return tx.Find(&[]Webhook{}, "account_id = ? AND id = ?", accountID, id)
	}))
	if err == nil && len(found) == 0 {
		err = fault.NewNotFound()
	}
	if err != nil {
		return Webhook{}, fmt.Errorf("get webhook %s: %w", id, err)
	}
	return found[0], nil
}

// Create creates a webhook for changes from now on, and returns it with its secret, which cannot be read again. The
// errors are those of List, InvalidBody if a member is invalid or the host of the URL is private and AllowPrivate is
// not set, and Conflict if the account has maxWebhooks webhooks.
func (s *Service) Create(ctx context.Context, user, accountID uuid.UUID, in Draft) (Webhook, string, error) {
	var made Webhook
	if err := s.check(in.change()); err != nil {
		return made, "", err
	}
	id, secret := postgres.NewID(), newSecret()
	err := s.asAdmin(ctx, user, accountID, func(tx *postgres.Tx) error {
		count, err := tx.CountAlone("webhooks of "+accountID.String(),
			tx.Model(&Webhook{}).Where("account_id = ?", accountID))
		if err != nil {
			return err
		}
		if count >= maxWebhooks {
			return fault.New(fault.Conflict, "too_many_webhooks",
				fault.Detail{Field: "url", Message: "the account has as many webhooks as it may: delete one"})
		}
		now, err := changes.NowIn(tx)
		if err != nil {
			return err
		}
		err = tx.Exec(`INSERT INTO webhooks (id, account_id, url, description, event_types, enabled, secret, created_by,
			place_transaction, place_thing, place_database)
			VALUES (?, ?, ?, ?, ?, COALESCE(?::boolean, true), ?, ?, ?::text::xid8, ?, ?)`, id, accountID, in.URL,
			in.Description, once(in.EventTypes), in.Enabled, s.box.Seal(id.String(), secret), user,
			now.Transaction, now.Thing, now.Database).Error
		if err != nil {
			return fmt.Errorf("store the webhook: %w", err)
		}
		return s.made(tx, accountID, id, &made)
	})
	return made, secret, err
}

// made loads a webhook that a transaction created or changed, and calls tx.Made with it.
func (s *Service) made(tx *postgres.Tx, accountID, id uuid.UUID, into *Webhook) error {
	err := load(tx.DB, accountID, id, into)
	tx.Made(*into)
	return err
}

// require compares the version of the webhook with If-Match of the request, and returns the error of postgres.Require.
// If there is an If-Match, it locks the webhook, and the error is NotFound if the account has no such webhook. Without
// If-Match it does nothing.
func require(tx *postgres.Tx, accountID, id uuid.UUID) error {
	return postgres.Require(tx, func() (current Webhook, err error) {
		err = load(tx.Clauses(clause.Locking{Strength: "UPDATE"}), accountID, id, &current)
		return current, err
	})
}

func load(db *gorm.DB, accountID, id uuid.UUID, into *Webhook) error {
	*into = Webhook{}
	err := db.First(into, "account_id = ? AND id = ?", accountID, id).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return fault.NewNotFound()
	}
	return err
}

// Change changes a webhook. To a webhook that is enabled again, the changes since it was disabled are sent, if they are
// still kept. A new URL, or Enabled set to true, also clears the failures of the receiver. The errors are those of
// List, InvalidBody as for Create, NotFound if the account has no such webhook, and the error of a check that
// postgres.Requiring set in ctx; in each case nothing is changed.
func (s *Service) Change(ctx context.Context, user, accountID, id uuid.UUID, c Change) (Webhook, error) {
	var changed Webhook
	if err := s.check(c); err != nil {
		return changed, err
	}
	err := s.asAdmin(ctx, user, accountID, func(tx *postgres.Tx) error {
		if err := require(tx, accountID, id); err != nil {
			return err
		}
		columns := c.columns()
		columns["updated_at"] = gorm.Expr("now()")
		if err := tx.Model(&Webhook{}).Where("account_id = ? AND id = ?", accountID, id).Updates(columns).Error; err != nil {
			return fmt.Errorf("change webhook %s: %w", id, err)
		}
		return load(tx.DB, accountID, id, &changed)
	})
	return changed, err
}

// Rotate replaces the secret of a webhook, and returns the webhook with the new secret, which cannot be read again. For
// a day, messages are signed with the previous secret as well, also if another rotation follows. The errors are those
// of List, and NotFound if the account has no such webhook.
func (s *Service) Rotate(ctx context.Context, user, accountID, id uuid.UUID) (Webhook, string, error) {
	var rotated Webhook
	secret := newSecret()
	err := s.asAdmin(ctx, user, accountID, func(tx *postgres.Tx) error {
		var before secrets
		err := tx.Raw(`SELECT secret, old_secret, old_secret_until, now() AS read_at FROM webhooks
			WHERE account_id = ? AND id = ? FOR UPDATE`, accountID, id).Scan(&before).Error
		if err != nil {
			return fmt.Errorf("load the secrets of webhook %s: %w", id, err)
		}
		old, err := s.retire(id, before)
		if err != nil {
			return err
		}
		err = tx.Exec(`UPDATE webhooks SET old_secret = ?, old_secret_until = now() + make_interval(secs => ?),
			secret = ?, updated_at = now() WHERE account_id = ? AND id = ?`, old, rotation.Seconds(),
			s.box.Seal(id.String(), secret), accountID, id).Error
		if err != nil {
			return fmt.Errorf("rotate the secret of webhook %s: %w", id, err)
		}
		return s.made(tx, accountID, id, &rotated)
	})
	return rotated, secret, err
}

// Delete deletes a webhook and its deliveries. The errors are those of List, NotFound if the account has no such
// webhook, and the error of a check that postgres.Requiring set in ctx; nothing is deleted then.
func (s *Service) Delete(ctx context.Context, user, accountID, id uuid.UUID) error {
	return s.asAdmin(ctx, user, accountID, func(tx *postgres.Tx) error {
		if err := require(tx, accountID, id); err != nil {
			return err
		}
		done := tx.Where("account_id = ? AND id = ?", accountID, id).Delete(&Webhook{})
		if done.Error == nil && done.RowsAffected == 0 {
			return fault.NewNotFound()
		}
		return done.Error
	})
}
