package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

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
// errors are those of List, and NotFound if the account has no such webhook.
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

// ReplayOne sends a delivery again, with the same id, and returns it while it is pending. The errors are those of List,
// NotFound if the webhook has no such delivery, and Conflict if the delivery is pending already.
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
				fault.Detail{Field: "delivery_id", Message: "is still under way: wait until it is delivered or has failed"})
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

// again makes deliveries pending again and queues them. Each has its full number of attempts again, and expires after
// expiry.
func (s *Service) again(tx *postgres.Tx, found []Delivery) error {
	if len(found) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(found))
	for i, d := range found {
		ids[i] = d.ID
	}
	err := tx.Exec(`UPDATE webhook_deliveries SET state = 'pending', attempts = 0, error = NULL,
		expires_at = now() + make_interval(secs => ?) WHERE id IN ?`, expiry.Seconds(), ids).Error
	if err != nil {
		return fmt.Errorf("send again: %w", err)
	}
	return s.send(tx, found)
}
