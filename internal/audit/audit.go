// Package audit reads and prunes the log of who changed what in an account, and from where. Triggers of the database
// write it: see the migrations.
package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/timestamp"
)

// Entry is one recorded action, such as a change of a webhook.
type Entry struct {
	ID         uuid.UUID
	At         time.Time
	ActorID    *uuid.UUID // nil: the operator, or somebody unknown
	ActorName  *string
	ActorEmail *string
	Action     string
	TargetType string
	TargetID   uuid.UUID
	TargetName *string         // nil: it has none, or the reader may not see it
	IP         *string         // nil: no request caused it
	Changes    json.RawMessage // nil: there are none, or the reader may not see them
}

// Filter selects entries of the log, and a page of them. A nil ActorID or Action selects all.
type Filter struct {
	paging.Page

	ActorID *uuid.UUID
	Action  *string
}

// Log reads and prunes the audit logs of all accounts. It is safe for concurrent use.
type Log struct{ db *postgres.DB }

// New returns the log.
func New(db *postgres.DB) *Log { return &Log{db: db} }

// List returns a page of an account's log, newest first, and the position where the next page begins, which is nil at
// the end. The error is NotFound if there is no such account, and Forbidden if the caller is not an owner or admin of
// it.
func (l *Log) List(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, f Filter,
) ([]Entry, *paging.Position, error) {
	entries := []Entry{}
	at, id := f.Behind()
	query := postgres.Rows(&entries, (*Entry).fields,
		"SELECT * FROM app_audit_log($1, $2, $3, CAST($4 AS timestamptz), $5, $6) OFFSET $7",
		accountID, f.ActorID, f.Action, at, id, f.Skip()+f.Limit+1, f.Skip()).Within(f.Page)
	if err := account.ReadAsAdmin(ctx, l.db, who, accountID, query); err != nil {
		return nil, nil, fmt.Errorf("read the audit log: %w", err)
	}
	for i := range entries {
		entries[i].rename()
		if err := entries[i].formatTimes(); err != nil {
			return nil, nil, fmt.Errorf("read the changes of an audit entry: %w", err)
		}
	}
	entries, next := paging.Cut(f.Page, entries, func(e *Entry) paging.Position { return paging.At(e.At, e.ID) })
	return entries, next, nil
}

// rename replaces the name of the column "event_types" in the changes of a webhook by "events", its name in the API. It
// does not change entries about other things.
func (e *Entry) rename() {
	if e.TargetType == "webhook" {
		e.Changes = bytes.Replace(e.Changes, []byte(`"event_types":`), []byte(`"events":`), 1)
	}
}

// formatTimes rewrites the times in the changes of accepted_at, expires_at and meeting_date from the form of Postgres
// to the form of the API. It does not change other columns, nor values that are not times.
func (e *Entry) formatTimes() error {
	for _, column := range []string{"accepted_at", "expires_at", "meeting_date"} {
		if !bytes.Contains(e.Changes, []byte(`"`+column+`":`)) {
			continue
		}
		var changes map[string]map[string]any
		if err := json.Unmarshal(e.Changes, &changes); err != nil {
			return err
		}
		for side, value := range changes[column] {
			text, _ := value.(string)
			if at, err := time.Parse(time.RFC3339, text); err == nil {
				changes[column][side] = timestamp.Format(at)
			}
		}
		var err error
		if e.Changes, err = json.Marshal(changes); err != nil {
			return err
		}
	}
	return nil
}

func (e *Entry) fields() []any {
	return []any{
		&e.ID, &e.At, &e.ActorID, &e.ActorName, &e.ActorEmail, &e.Action, &e.TargetType,
		&e.TargetID, &e.TargetName, &e.IP, &e.Changes,
	}
}

// forgetAtOnce is how many entries one transaction removes.
const forgetAtOnce = 10_000

// Forget removes the entries that are older than age, forgetAtOnce in each transaction. If age is 0 or less, it removes
// none.
func (l *Log) Forget(ctx context.Context, age time.Duration) error {
	for age > 0 {
		var gone int64
		err := l.db.AsNobody(ctx, func(tx *postgres.Tx) error {
			return tx.Raw("SELECT app_forget_audit(make_interval(secs => ?), ?)", age.Seconds(), forgetAtOnce).Scan(&gone).Error
		})
		if err != nil {
			return fmt.Errorf("remove old entries of the audit log: %w", err)
		}
		if gone < forgetAtOnce {
			return nil
		}
	}
	return nil
}
