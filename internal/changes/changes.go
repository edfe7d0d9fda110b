// Package changes reads which companies, meeting minutes, form submissions, emails and statuses of an account were
// created, updated or deleted, in order and without a gap. Triggers of the database write the changes: see the
// migrations and ADR 68.
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
	Position Position

	Kind   string
	Action string
	At     time.Time
}

// Type names what happened, such as company.updated.
func (c Change) Type() string { return c.Kind + "." + c.Action }

// Position is where a change is in the order of an account's changes.
type Position struct {
	Transaction string    // its number, as Postgres writes it
	Thing       uuid.UUID // the last thing of the transaction that was read
	Database    string    // the database that numbered the transaction
}

// Part is some of the changes that follow a position, in order.
type Part struct {
	Changes []Change
	Next    Position // where the next Part begins: see partOf
	More    bool     // whether more changes follow already
}

// looked is how many changes are looked at for one Part, whether or not the caller may see them, so that a caller who
// may see few of many does not read the same ones again and again.
const looked = 2000

// Feed reads the changes of all accounts.
type Feed struct{ db *postgres.DB }

// New returns the feed.
func New(db *postgres.DB) *Feed { return &Feed{db: db} }

// Read returns up to limit changes after a position, or from the oldest that is kept if after is nil. It returns those
// that the caller may see, of the given kinds, or of every kind if none is given. It fails with NotFound or Forbidden
// if the caller may not read the account, and with Gone if changes after the position are no longer kept.
func (f *Feed) Read(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, after *Position, limit int, kinds ...string,
) (Part, error) {
	var rows []row
	if err := account.Read(ctx, f.db, who, accountID, query(&rows, accountID, after, limit, kinds)); err != nil {
		return Part{}, fmt.Errorf("read changes: %w", err)
	}
	return partOf(rows, limit)
}

// ReadIn is Read of every kind within a transaction, as the transaction's user. It does not check the account.
func ReadIn(tx *postgres.Tx, accountID uuid.UUID, after *Position, limit int) (Part, error) {
	var rows []row
	if err := tx.Run(query(&rows, accountID, after, limit, nil)); err != nil {
		return Part{}, fmt.Errorf("read changes: %w", err)
	}
	return partOf(rows, limit)
}

// Now returns the position after every change so far. It fails with NotFound or Forbidden if the caller may not read
// the account.
func (f *Feed) Now(ctx context.Context, who *postgres.Identity, accountID uuid.UUID) (Position, error) {
	var positions []Position
	if err := account.Read(ctx, f.db, who, accountID, now(&positions)); err != nil {
		return Position{}, fmt.Errorf("read the position of the newest change: %w", err)
	}
	return positions[0], nil
}

// NowIn is Now within a transaction, without a check of the account.
func NowIn(tx *postgres.Tx) (Position, error) {
	var positions []Position
	if err := tx.Run(now(&positions)); err != nil {
		return Position{}, fmt.Errorf("read the position of the newest change: %w", err)
	}
	return positions[0], nil
}

// now returns a query that reads, into positions, the position after every transaction that has ended. It asks for the
// changes of an account that does not exist, since there are none to look at.
func now(positions *[]Position) postgres.Query {
	return postgres.Rows(positions, func(p *Position) []any { return []any{&p.Transaction, &p.Thing, &p.Database} },
		"SELECT w.last_xid::text, w.last_thing, w.source FROM app_change_window($1, NULL, NULL, NULL, 1) AS w", uuid.Nil)
}

// row is a change and the end of what was looked at, or that end alone: then the fields from transaction on are nil.
type row struct {
	end   Position
	gone  bool // changes after the position are no longer kept
	whole bool // nothing more is left to look at

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

// query returns a query that reads at most limit changes into rows, and always at least one row. A change of something
// that the caller may no longer see is read as its deletion.
func query(rows *[]row, accountID uuid.UUID, after *Position, limit int, kinds []string) postgres.Query {
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

// partOf makes a Part of what query read. The error is Gone if changes after the position are no longer kept. If there
// are limit changes, Next is the position of the last one, since more may follow; else Next is the end of what was
// looked at.
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
			position := Position{Transaction: *r.transaction, Thing: *r.thing, Database: first.end.Database}
			part.Changes = append(part.Changes, Change{Position: position, Kind: *r.kind, Action: *r.action, At: *r.at})
		}
	}
	if len(part.Changes) == limit {
		part.Next, part.More = part.Changes[limit-1].Position, true
	}
	return part, nil
}

// NewWatcher returns a Watcher that notifies the callers that wait for changes of an account when there are new ones.
// It notifies nobody until its Run method is called.
func NewWatcher(db *postgres.DB, log *slog.Logger) *watch.Watcher {
	return watch.New("accounts", db.Versions("SELECT id, changed FROM app_change_heads($1)"), log)
}

// forgetAtOnce is how many changes are removed in a transaction.
const forgetAtOnce = 10_000

// Forget removes the changes that are older than age; none if it is 0.
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
