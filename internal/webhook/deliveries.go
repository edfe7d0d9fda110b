package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
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

// message is the body of a delivery, as Standard Webhooks recommends it.
type message struct {
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"`
	Data      data   `json:"data"`
}

type data struct {
	AccountID uuid.UUID `json:"account_id"`
	Target    *target   `json:"target"` // null in a message of TypeTest
}

type target struct {
	Type string    `json:"type"`
	ID   uuid.UUID `json:"id"`
}

func newDelivery(accountID, webhookID uuid.UUID, kind string, at time.Time, about *target) (Delivery, error) {
	content := data{AccountID: accountID, Target: about}
	body, err := json.Marshal(message{Type: kind, Timestamp: paging.Moment(at), Data: content})
	return Delivery{
		ID: postgres.NewID(), AccountID: accountID, WebhookID: webhookID, EventType: kind, Body: string(body),
		State: Pending,
	}, err
}

// addAtOnce is how many deliveries one statement stores.
const addAtOnce = 1000

// add stores deliveries, each with the work of sending it.
func (s *Service) add(tx *postgres.Tx, deliveries []Delivery) error {
	if len(deliveries) == 0 {
		return nil
	}
	if err := tx.Omit("CreatedAt", "ExpiresAt").CreateInBatches(deliveries, addAtOnce).Error; err != nil {
		return fmt.Errorf("store deliveries: %w", err)
	}
	return s.send(tx, deliveries)
}

// send queues the work of sending deliveries.
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
// error is NotFound if the account has no such webhook, and Conflict if the webhook is disabled.
func (s *Service) Test(ctx context.Context, user, accountID, id uuid.UUID) (Delivery, error) {
	var made Delivery
	err := s.asAdmin(ctx, user, accountID, func(tx *postgres.Tx) error {
		var hook Webhook
		if err := load(tx.DB, accountID, id, &hook); err != nil {
			return err
		}
		if !hook.Enabled {
			return fault.New(fault.Conflict, "webhook_disabled",
				fault.Detail{Field: "enabled", Message: "is false: nothing is sent"})
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
// which is nil at the end. If state is not "", it returns only deliveries in this state. The error is NotFound if the
// account has no such webhook.
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

// replayAtOnce is how many deliveries one call of Replay sends again. It must be larger than the number of deliveries
// that one transaction creates, since these have the same time and Replay continues by time.
const replayAtOnce = 5 * readAtOnce

// Replayed is the result of Replay: how many deliveries are sent again, and the time from which to continue. Next is
// nil if no deliveries are left.
type Replayed struct {
	Count int
	Next  *time.Time
}

// Replay sends again, with the same ids, the oldest deliveries of a webhook that were created at or after since: at
// most replayAtOnce, and only failed ones if failedOnly is true. It leaves out deliveries that are still pending. The
// error is NotFound if the account has no such webhook.
func (s *Service) Replay(
	ctx context.Context, user, accountID, id uuid.UUID, since time.Time, failedOnly bool,
) (Replayed, error) {
	states := []string{Failed, Delivered}
	if failedOnly {
		states = states[:1]
	}
	var done Replayed
	err := s.asAdmin(ctx, user, accountID, func(tx *postgres.Tx) error {
		var hook Webhook
		if err := load(tx.DB, accountID, id, &hook); err != nil {
			return err
		}
		found := []Delivery{}
		err := tx.Where("webhook_id = ? AND created_at >= ? AND state IN ?", id, since, states).
			Order("created_at, id").Limit(replayAtOnce + 1).Find(&found).Error
		if err != nil {
			return fmt.Errorf("look for what is to be sent again: %w", err)
		}
		if len(found) > replayAtOnce {
			done.Next, found = &found[replayAtOnce].CreatedAt, found[:replayAtOnce]
		}
		done.Count = len(found)
		tx.Made(done)
		return s.again(tx, found)
	})
	return done, err
}

// ReplayOne sends a delivery again, with the same id, and returns it while it is pending. The error is NotFound if the
// webhook has no such delivery, and Conflict if the delivery is pending already.
func (s *Service) ReplayOne(ctx context.Context, user, accountID, id, deliveryID uuid.UUID) (Delivery, error) {
	var found []Delivery
	err := s.asAdmin(ctx, user, accountID, func(tx *postgres.Tx) error {
		one := func() error {
			return tx.Where("account_id = ? AND webhook_id = ? AND id = ?", accountID, id, deliveryID).Find(&found).Error
		}
		if err := one(); err != nil {
			return fmt.Errorf("load delivery %s: %w", deliveryID, err)
		}
		switch {
		case len(found) == 0:
			return fault.NewNotFound()
		case found[0].State == Pending:
			return fault.New(fault.Conflict, "delivery_pending",
				fault.Detail{Field: "delivery_id", Message: "is still under way"})
		}
		if err := s.again(tx, found); err != nil {
			return err
		}
		if err := one(); err != nil {
			return err
		}
		tx.Made(found[0])
		return nil
	})
	if err != nil {
		return Delivery{}, err
	}
	return found[0], nil
}

// again makes deliveries pending again and queues them. Each has its full number of attempts again, and expires in 24
// hours.
func (s *Service) again(tx *postgres.Tx, found []Delivery) error {
	if len(found) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(found))
	for i, d := range found {
		ids[i] = d.ID
	}
	err := tx.Exec(`UPDATE webhook_deliveries SET state = 'pending', attempts = 0, error = NULL,
		expires_at = now() + interval '24 hours' WHERE id IN ?`, ids).Error
	if err != nil {
		return fmt.Errorf("send again: %w", err)
	}
	return s.send(tx, found)
}
