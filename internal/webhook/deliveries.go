package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/retention"
	"dealflow/internal/work"
)

// States of a delivery.
const (
	Pending   = "pending"
	Delivered = "delivered"
	Failed    = "failed"
)

// Delivery is a message to a webhook, with its state and the result of the last attempt.
type Delivery struct {
	ID          uuid.UUID // by which the receiver knows it again
	AccountID   uuid.UUID
	WebhookID   uuid.UUID
	EventType   string
	Body        string
	State       string
	Attempts    int
	StatusCode  *int    // of the last answer
	Error       *string // of the last attempt
	CreatedAt   time.Time
	ExpiresAt   time.Time
	AttemptedAt *time.Time
	NextAt      *time.Time // of one that waits for another attempt
}

// TableName returns the name of the table, which gorm would not guess.
func (Delivery) TableName() string { return "webhook_deliveries" }

// addAtOnce is how many deliveries one statement stores.
const addAtOnce = 1000

// add stores deliveries, each with the work of sending it. Each must have an ID. It stores nothing if there are none.
func (s *Service) add(tx *postgres.Tx, deliveries []Delivery) error {
	if len(deliveries) == 0 {
		return nil
	}
	if err := tx.Omit("CreatedAt", "ExpiresAt").CreateInBatches(deliveries, addAtOnce).Error; err != nil {
		return fmt.Errorf("store deliveries: %w", err)
	}
	return s.send(tx, deliveries)
}

// send adds the work of sending deliveries, whose IDs must be set.
func (s *Service) send(tx *postgres.Tx, deliveries []Delivery) error {
	items := make([]work.Item, len(deliveries))
	for i, d := range deliveries {
		items[i] = work.Item{
			Kind: WorkDeliver, Queue: work.Webhooks, AccountID: d.AccountID, SubjectID: &deliveries[i].ID,
			MaxAttempts: work.DeliveryAttempts,
		}
	}
	return s.Work.Add(tx, items...)
}

// Test creates a delivery of the type TypeTest, which is sent like others, and returns it while it is pending. The
// errors are those of List, NotFound if the account has no such webhook, and Conflict if the webhook is disabled.
func (s *Service) Test(ctx context.Context, user, accountID, id uuid.UUID) (Delivery, error) {
	var made Delivery
	err := s.asAdmin(ctx, user, accountID, func(tx *postgres.Tx) error {
		var hook Webhook
		if err := load(tx.DB, accountID, id, &hook); err != nil {
			return err
		}
		if !hook.Enabled {
			return fault.New(fault.Conflict, "webhook_disabled",
				fault.Detail{Field: "enabled", Message: "is false, so nothing is sent: enable the webhook first"})
		}
		test, err := newDelivery(accountID, id, TypeTest, time.Now(), nil)
		if err != nil {
			return err
		}
		if err := s.add(tx, []Delivery{test}); err != nil {
			return err
		}
		err = tx.First(&made, "id = ?", test.ID).Error
		tx.Made(made)
		return err
	})
	return made, err
}

// Deliveries returns a page of the deliveries of a webhook, newest first, and the position where the next page begins,
// which is nil at the end. If state is not "", it returns only deliveries in this state. The errors are those of List,
// and NotFound if the account has no such webhook.
func (s *Service) Deliveries(
	ctx context.Context, who *postgres.Identity, accountID, id uuid.UUID, state string, page paging.Page,
) ([]Delivery, *paging.Position, error) {
	var exists bool
	var found []Delivery
	err := account.ReadAsAdmin(ctx, s.DB, who, accountID,
		postgres.Value(&exists, "SELECT EXISTS (SELECT 1 FROM webhooks WHERE account_id = $1 AND id = $2)",
			accountID, id).Then(func() error {
			if !exists {
				return fault.NewNotFound()
			}
			return nil
		}),
		postgres.Found(s.DB, &found, func(tx *gorm.DB) *gorm.DB {
			tx = tx.Where("account_id = ? AND webhook_id = ?", accountID, id)
			if state != "" {
				tx = tx.Where("state = ?", state)
			}
			return page.Of(paging.Newest())(tx).Find(&[]Delivery{})
		}).Within(page))
	if err != nil {
		return nil, nil, fmt.Errorf("list deliveries: %w", err)
	}
	found, next := paging.Cut(page, found, func(d *Delivery) paging.Position { return paging.At(d.CreatedAt, d.ID) })
	return found, next, nil
}

// CleanLog removes deliveries older than retention.WebhookDeliveries that are no longer pending, and marks as failed
// the pending ones whose work ended without delivering them. It does so for all accounts.
func (s *Service) CleanLog(ctx context.Context) error {
	return s.DB.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Exec("SELECT app_tidy_webhooks(make_interval(secs => ?))", retention.WebhookDeliveries.Seconds()).Error
	})
}
