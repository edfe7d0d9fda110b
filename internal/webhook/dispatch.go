package webhook

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/changes"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/retention"
)

// Bounds of turning changes into deliveries: how often new changes are looked for, how many are read at once, and how
// many deliveries of a webhook may be pending before its further changes wait in the feed.
const (
	interval   = 500 * time.Millisecond
	readAtOnce = 200
	maxPending = 1000
)

// Run calls Dispatch every interval, and CleanLog every retention.Interval, until ctx ends. It sends no messages. It
// logs errors; if Dispatch fails several times in a row, it logs only the first error. Any number of processes may run
// it.
func (s *Service) Run(ctx context.Context) {
	ticker, clean := time.NewTicker(interval), time.NewTicker(retention.Interval)
	defer ticker.Stop()
	defer clean.Stop()
	for failing := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-clean.C:
			if err := s.CleanLog(ctx); err != nil && ctx.Err() == nil {
				s.Logger.WarnContext(ctx, "old deliveries of webhooks could not be removed; it will be tried again", "error", err)
			}
		case <-ticker.C:
		}
		err := s.Dispatch(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			s.Logger.ErrorContext(ctx, "deliveries of webhooks could not be created for changes; it will be tried again",
				"error", err)
		}
		failing = err != nil
	}
}

// behind is an enabled webhook for which there are changes after its position in the feed. RunsAs is the user as whom
// it reads them.
type behind struct {
	ID        uuid.UUID
	AccountID uuid.UUID
	RunsAs    uuid.UUID
}

// Dispatch adds deliveries for the changes that enabled webhooks have not read yet, by turns readAtOnce changes of each
// webhook, so that none waits for the backlog of another. It skips a webhook that another process has locked, or that
// has maxPending pending deliveries. An error of one webhook does not stop the others; Dispatch returns all errors
// joined.
func (s *Service) Dispatch(ctx context.Context) error {
	failures := map[uuid.UUID]error{}
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = s.turn(ctx, failures); err != nil {
			return err
		}
	}
	return errors.Join(slices.Collect(maps.Values(failures))...)
}

// turn calls feed once for each webhook for which there are changes, except those in failures, and adds each error of
// feed to failures. It reports whether any of the webhooks has more changes. The error says that the webhooks could not
// be looked for.
func (s *Service) turn(ctx context.Context, failures map[uuid.UUID]error) (more bool, err error) {
	var due []behind
	err = s.DB.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT * FROM app_webhooks_behind()").Scan(&due).Error
	})
	if err != nil {
		return false, fmt.Errorf("look for webhooks: %w", err)
	}
	for _, one := range due {
		if failures[one.ID] != nil {
			continue
		}
		hasMore, err := s.feed(ctx, one)
		if err != nil {
			failures[one.ID] = fmt.Errorf("webhook %s: %w", one.ID, err)
		}
		more = more || hasMore
	}
	return more, nil
}

// feed adds the deliveries for the next changes after a webhook's position, and stores its new position in the same
// transaction, so that each change is added once. It reports whether there are more changes. If lockWebhook skips the
// webhook, it adds nothing and reports false.
func (s *Service) feed(ctx context.Context, one behind) (more bool, err error) {
	err = s.DB.As(ctx, one.RunsAs, func(tx *postgres.Tx) error {
		hook, position, err := lockWebhook(tx, one.ID)
		if err != nil || hook == nil {
			return err
		}
		part, err := s.read(ctx, tx, one, position)
		if err != nil {
			return err
		}
		more = part.More
		deliveries, err := hook.messages(part.Changes)
		if err != nil {
			return err
		}
		if err := s.add(tx, deliveries); err != nil {
			return err
		}
		return tx.Exec(`UPDATE webhooks SET place_transaction = ?::text::xid8, place_thing = ?, place_database = ?
			WHERE id = ?`, part.Next.Transaction, part.Next.Thing, part.Next.Database, one.ID).Error
	})
	return more && err == nil, err
}

// lockWebhook locks a webhook, and returns it with its position in the feed. It returns nil if another process has
// locked the webhook, or if the webhook is disabled, deleted or has maxPending pending deliveries. Only ID, AccountID
// and EventTypes of the Webhook are set.
func lockWebhook(tx *postgres.Tx, id uuid.UUID) (*Webhook, changes.Position, error) {
	var found []struct {
		Webhook

		PlaceTransaction, PlaceDatabase string
		PlaceThing                      uuid.UUID
	}
	err := tx.Raw(`SELECT w.id, w.account_id, w.event_types, w.place_transaction::text, w.place_thing, w.place_database
		FROM webhooks w WHERE w.id = ? AND w.enabled FOR UPDATE SKIP LOCKED`, id).Scan(&found).Error
	if err != nil || len(found) == 0 {
		return nil, changes.Position{}, err
	}
	var pending int
	err = tx.Raw(`SELECT count(*) FROM (
		SELECT 1 FROM webhook_deliveries WHERE webhook_id = ? AND state = 'pending' LIMIT ?) AS p`,
		id, maxPending).Scan(&pending).Error
	if err != nil || pending >= maxPending {
		return nil, changes.Position{}, err
	}
	row := found[0]
	position := changes.Position{Transaction: row.PlaceTransaction, Thing: row.PlaceThing, Database: row.PlaceDatabase}
	return &row.Webhook, position, nil
}

// read returns up to readAtOnce changes after a position. If changes after it are no longer kept, because the webhook
// was disabled for long or the database was restored, read logs a warning and skips to the current position: the
// webhook gets no delivery for what it missed.
func (s *Service) read(
	ctx context.Context, tx *postgres.Tx, one behind, position changes.Position,
) (changes.Part, error) {
	part, err := changes.ReadIn(tx, one.AccountID, &position, readAtOnce)
	if !fault.Is(err, fault.Gone) {
		return part, err
	}
	s.Logger.WarnContext(ctx, "a webhook missed changes that are no longer kept", "webhook_id", one.ID)
	now, err := changes.NowIn(tx)
	return changes.Part{Next: now}, err
}

// messages returns a delivery for each change whose type the webhook has chosen; all types if it has chosen none.
func (w *Webhook) messages(found []changes.Change) ([]Delivery, error) {
	var deliveries []Delivery
	for _, c := range found {
		if len(w.EventTypes) > 0 && !slices.Contains(w.EventTypes, c.Type()) {
			continue
		}
		d, err := newDelivery(w.AccountID, w.ID, c.Type(), c.At, &target{Type: c.Kind, ID: c.Position.Thing})
		if err != nil {
			return nil, err
		}
		deliveries = append(deliveries, d)
	}
	return deliveries, nil
}

// Wait returns how long the oldest delivery has waited that was never attempted, nor postponed since its receiver
// fails; 0 if there is none.
func (s *Service) Wait(ctx context.Context) (time.Duration, error) {
	var seconds float64
	err := s.DB.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_webhook_wait()").Scan(&seconds).Error
	})
	return time.Duration(seconds * float64(time.Second)), err
}
