// Package changes reads what happened to the things of an account, in order and without a gap. Triggers of the
// database write it: see the migrations and ADR 68.
package changes

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/watch"
)

// Kinds of things that are followed.
const (
	Company        = "company"
	MeetingMinutes = "meeting_minutes"
	FormSubmission = "form_submission"
	Email          = "email"
	CompanyStatus  = "company_status"
)

// What happened to a thing.
const (
	Created = "created"
	Updated = "updated"
	Deleted = "deleted"
)

// Kinds returns every kind of thing that is followed.
func Kinds() []string { return []string{Company, MeetingMinutes, FormSubmission, Email, CompanyStatus} }

// Actions returns what may happen to a thing.
func Actions() []string { return []string{Created, Updated, Deleted} }

// Change is what a transaction did to a thing.
type Change struct {
	Place Place

	Kind   string
	Action string
	At     time.Time
}

// Type names what happened, such as company.updated.
func (c Change) Type() string { return c.Kind + "." + c.Action }

// Place is where a change is in the order of an account's changes.
type Place struct {
	Transaction string    // its number, as Postgres writes it
	Thing       uuid.UUID // the last in the transaction that was read
	Database    string    // whose transactions are numbered so
}

// Part is a piece of what happened, in order.
type Part struct {
	Changes []Change
	Next    Place // behind what was read, and behind what the caller may not see
	More    bool  // whether to read on at once
}

// looked is how many changes are looked at for one part, seen or not, so that one who sees few of many gets on.
const looked = 2000

// Feed is the changes of all accounts.
type Feed struct{ db *postgres.DB }

// New returns the feed.
func New(db *postgres.DB) *Feed { return &Feed{db: db} }

// Read returns up to limit changes behind a place, or the oldest that are kept where it is nil: those that the caller
// may see, of these kinds of things, of every kind where none is named. NotFound and Forbidden are for the account;
// Gone where changes behind the place are kept no more.
func (f *Feed) Read(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, after *Place, limit int, kinds ...string,
) (Part, error) {
	var rows []row
	if err := account.Read(ctx, f.db, who, accountID, query(&rows, accountID, after, limit, kinds)); err != nil {
		return Part{}, fmt.Errorf("read changes: %w", err)
	}
	return partOf(rows, limit)
}

// ReadIn is Read in a transaction, as its user.
func ReadIn(tx *postgres.Tx, accountID uuid.UUID, after *Place, limit int) (Part, error) {
	var rows []row
	if err := tx.Run(query(&rows, accountID, after, limit, nil)); err != nil {
		return Part{}, fmt.Errorf("read changes: %w", err)
	}
	return partOf(rows, limit)
}

// Now returns the place behind all that has happened so far.
func (f *Feed) Now(ctx context.Context, who *postgres.Identity, accountID uuid.UUID) (Place, error) {
	var places []Place
	if err := account.Read(ctx, f.db, who, accountID, now(&places)); err != nil {
		return Place{}, fmt.Errorf("read the place of the newest change: %w", err)
	}
	return places[0], nil
}

// NowIn is Now in a transaction.
func NowIn(tx *postgres.Tx) (Place, error) {
	var places []Place
	if err := tx.Run(now(&places)); err != nil {
		return Place{}, fmt.Errorf("read the place of the newest change: %w", err)
	}
	return places[0], nil
}

// now asks for the place behind every transaction that has ended, of an account that has no changes.
func now(places *[]Place) postgres.Query {
	return postgres.Rows(places, func(p *Place) []any { return []any{&p.Transaction, &p.Thing, &p.Database} },
		"SELECT w.last_xid::text, w.last_thing, w.source FROM app_change_window($1, NULL, NULL, NULL, 1) AS w", uuid.Nil)
}

// row is a change, or nothing but the end of the part that was looked at.
type row struct {
	end   Place
	gone  bool
	whole bool

	transaction *string
	thing       *uuid.UUID
	kind        *string
	action      *string
	at          *time.Time
}

func (r *row) fields() []any {
	return []any{
		&r.end.Database, &r.gone, &r.whole, &r.end.Transaction, &r.end.Thing, &r.transaction, &r.thing, &r.kind, &r.action,
		&r.at,
	}
}

// query reads changes, and one row in any case. Of what the caller no longer sees they learn that it is gone.
func query(rows *[]row, accountID uuid.UUID, after *Place, limit int, kinds []string) postgres.Query {
	var transaction, thing, database any
	if after != nil {
		transaction, thing, database = after.Transaction, after.Thing, after.Database
	}
	return postgres.Rows(rows, (*row).fields, `
		SELECT w.source, w.gone, w.whole, w.last_xid::text, w.last_thing, s.xid::text, s.thing, s.kind, s.action, s.at
		FROM app_change_window($1, $2::text::xid8, $3::uuid, $4, $5) AS w LEFT JOIN LATERAL (
			SELECT c.xid, c.thing, c.kind, c.at,
				CASE WHEN c.lost IS NULL OR app_sees(c.kind, c.thing) OR app_saw(c.thing) THEN c.action ELSE 'deleted' END AS action
			FROM changes c WHERE c.account_id = $1
				AND (c.xid, c.thing) > (COALESCE($2::text::xid8, '0'), COALESCE($3::uuid, '00000000-0000-0000-0000-000000000000'))
				AND (c.xid, c.thing) <= (w.last_xid, w.last_thing) AND ($7::text[] IS NULL OR c.kind = ANY ($7))
			ORDER BY c.xid, c.thing LIMIT $6) AS s ON NOT w.gone
		ORDER BY s.xid, s.thing`, accountID, transaction, thing, database, looked, limit, kinds)
}

// partOf returns what was read. A part that is full ends with its last change, another where the look ended.
func partOf(rows []row, limit int) (Part, error) {
	first := rows[0]
	if first.gone {
		return Part{}, fault.New(fault.Gone, "changes_gone", fault.Detail{
			Field: "after",
			Message: "is older than the changes that are kept: take a new cursor with after=now, read everything once by the " +
				"lists, " +
				"and go on from that cursor",
		})
	}
	part := Part{Changes: []Change{}, Next: first.end, More: !first.whole}
	for _, r := range rows {
		if r.thing != nil {
			place := Place{Transaction: *r.transaction, Thing: *r.thing, Database: first.end.Database}
			part.Changes = append(part.Changes, Change{Place: place, Kind: *r.kind, Action: *r.action, At: *r.at})
		}
	}
	if len(part.Changes) == limit {
		part.Next, part.More = part.Changes[limit-1].Place, true
	}
	return part, nil
}

// NewWatcher returns a watcher of accounts in which something happened.
func NewWatcher(db *postgres.DB, log *slog.Logger) *watch.Watcher {
	return watch.New("accounts", db.Versions("SELECT id, changed FROM app_change_heads($1)"), log)
}

// forgetAtOnce is how many changes are removed in a transaction.
const forgetAtOnce = 10_000

// Forget removes the changes that are older than this; none for 0.
func (f *Feed) Forget(ctx context.Context, age time.Duration) error {
	for age > 0 {
		var gone int64
		err := f.db.AsNobody(ctx, func(tx *postgres.Tx) error {
			return tx.Raw("SELECT app_forget_changes(make_interval(secs => ?), ?)", age.Seconds(), forgetAtOnce).
				Scan(&gone).Error
		})
		if err != nil {
			return fmt.Errorf("remove old changes: %w", err)
		}
		if gone < forgetAtOnce {
			return nil
		}
	}
	return nil
}
