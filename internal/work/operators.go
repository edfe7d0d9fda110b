package work

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
)

// Listed is what operators see of an item. Its fields are those of Item.
type Listed struct {
	ID           uuid.UUID  `json:"id"`
	Kind         string     `json:"kind"`
	Queue        string     `json:"queue"`
	AccountID    uuid.UUID  `json:"account_id"`
	SubjectID    *uuid.UUID `json:"subject_id"`
	State        string     `json:"state"`
	Attempt      int        `json:"attempt"`
	MaxAttempts  int        `json:"max_attempts"`
	Failures     int        `json:"failures"`
	Losses       int        `json:"losses"`
	Outages      int        `json:"outages"`
	Error        *string    `json:"error"`
	Interruption *string    `json:"interruption"`
	RunAfter     time.Time  `json:"run_after"`
	CreatedAt    time.Time  `json:"created_at"`
	FinishedAt   *time.Time `json:"finished_at"`
}

// List returns up to `most` items of all accounts in a state, the newest first. With the state "" it returns items in
// every state except Done. The result is never nil. List does not check who calls it.
func (s *Store) List(ctx context.Context, state string, most int) ([]Listed, error) {
	items := []Listed{}
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT * FROM app_list_work(?, ?)", state, most).Scan(&items).Error
	})
	if err != nil {
		return nil, fmt.Errorf("list work: %w", err)
	}
	return items, nil
}

// Retry queues a failed item again as if it were new, or with uuid.Nil all failed items, and returns their ids, never
// nil. It returns no id if the item has not failed. The next sweep puts the items into the queue. Retry does not check
// who calls it.
func (s *Store) Retry(ctx context.Context, id uuid.UUID) ([]uuid.UUID, error) {
	var only *uuid.UUID
	if id != uuid.Nil {
		only = &id
	}
	retried := []uuid.UUID{}
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_retry_work(?)", only).Scan(&retried).Error
	})
	if err != nil {
		return nil, fmt.Errorf("retry work: %w", err)
	}
	return retried, nil
}
