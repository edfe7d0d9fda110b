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

// Kinds of things whose changes are recorded.
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

// Kinds returns every kind of thing whose changes are recorded.
func Kinds() []string { return []string{Company, MeetingMinutes, FormSubmission, Email, CompanyStatus} }

// Actions returns every action that a change may have.
func Actions() []string { return []string{Created, Updated, Deleted} }

// Change is what a transaction did to a thing, whose id is Position.Thing.
type Change struct {
	Position Position

	Kind   string
	Action string
	At     time.Time
}

// Type returns the name of the change, such as company.updated.
func (c Change) Type() string { return c.Kind + "." + c.Action }

// Position is the position of a change in the order of an account's changes.
type Position struct {
	Transaction string    // its number, as Postgres writes it
	Thing       uuid.UUID // the last thing of the transaction that was read
	Database    string    // the database that numbered the transaction
}

// Part is a part of the changes after a position, in order. It may be empty although more changes follow: see looked.
type Part struct {
	Changes []Change
	Next    Position // where the next Part begins: see partOf
	More    bool     // more changes can be read already
}

// looked is the maximum number of changes that are searched for one Part, including changes that the caller may not see
// or did not ask for. A caller who may see few of many changes then does not search the same changes again.
const looked = 2000

// Feed reads the changes of all accounts. It is safe for concurrent use.
type Feed struct{ db *postgres.DB }

// New returns the feed.
func New(db *postgres.DB) *Feed { return &Feed{db: db} }

// Read returns changes after a position, or from the oldest one that is kept if after is nil. It returns at most limit
// changes, which must be at least 1, and searches at most the next 2000 changes of the account for them. It leaves out
// changes that the caller may not see and, if kinds are given, changes of other kinds. A change of a thing that the
// caller may no longer see is returned as its deletion. The error is NotFound if there is no such account, Forbidden if
// the caller is not a member of it, and Gone if changes after the position are no longer kept, or if this database
// never had the position: it is of another database, or later than a backup that was restored.
func (f *Feed) Read(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, after *Position, limit int, kinds ...string,
) (Part, error) {
	var rows []row
	if err := account.Read(ctx, f.db, who, accountID, query(&rows, accountID, after, limit, kinds)); err != nil {
		return Part{}, fmt.Errorf("read changes: %w", err)
	}
	return partOf(rows, limit)
}

// ReadIn reads changes of all kinds as Read does, but in a transaction and as its user. It does not check that the user
// is a member of the account. The error is Gone as in Read.
func ReadIn(tx *postgres.Tx, accountID uuid.UUID, after *Position, limit int) (Part, error) {
	var rows []row
	if err := tx.Run(query(&rows, accountID, after, limit, nil)); err != nil {
		return Part{}, fmt.Errorf("read changes: %w", err)
	}
	return partOf(rows, limit)
}

// Now returns the position after all changes that can be read now. Changes of a transaction that still runs come after
// the position, and so do changes of transactions that began after it, even if they have ended. The error is NotFound
// if there is no such account, and Forbidden if the caller is not a member of it.
func (f *Feed) Now(ctx context.Context, who *postgres.Identity, accountID uuid.UUID) (Position, error) {
	var positions []Position
	if err := account.Read(ctx, f.db, who, accountID, now(&positions)); err != nil {
		return Position{}, fmt.Errorf("read the position of the newest change: %w", err)
	}
	return positions[0], nil
}

// NowIn returns what Now returns, in a transaction, without checking an account.
func NowIn(tx *postgres.Tx) (Position, error) {
	var positions []Position
	if err := tx.Run(now(&positions)); err != nil {
		return Position{}, fmt.Errorf("read the position of the newest change: %w", err)
	}
	return positions[0], nil
}

// now returns a query that reads into positions the position that Now returns. It asks for the changes of an account
// that does not exist, so that there are none to search.
func now(positions *[]Position) postgres.Query {
	return postgres.Rows(positions, func(p *Position) []any { return []any{&p.Transaction, &p.Thing, &p.Database} },
		"SELECT w.last_xid::text, w.last_thing, w.source FROM app_change_window($1, NULL, NULL, NULL, 1) AS w", uuid.Nil)
}

// row is one change, with the position up to which changes were searched. If no change was found, the members from
// transaction on are nil.
type row struct {
	end   Position
	gone  bool // changes after the position are no longer kept
	whole bool // all changes were searched

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

// partOf returns the Part of the rows that query read, at least one; limit must be at least 1. If there are limit
// changes, Next is the position of the last one, and More is true, since more may follow. Otherwise Next is the
// position up to which changes were searched. The error is Gone as in Read.
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

// Forget removes the changes that are older than age, and changes with a position that this database has not reached,
// which exist after a restore. Each transaction removes about forgetAtOnce of them. If age is 0 or less, it removes
// none.
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
