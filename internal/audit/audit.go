// Package audit reads and prunes the log of who changed what in an account, and from where. Triggers of the database
// write it: see the migrations.
package audit

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Entry is one thing that was done.
type Entry struct {
	ID         uuid.UUID
	At         time.Time
	ActorID    *uuid.UUID // nil: the operator, or nobody who is known
	ActorName  *string
	ActorEmail *string
	Action     string
	TargetType string
	TargetID   uuid.UUID
	TargetName *string // nil without one, and where the reader may not see it
	IP         *string // nil: it came from no request
	Changes    json.RawMessage
}

// Place is where a page begins: after the entry with this time and id.
type Place struct {
	At time.Time
	ID uuid.UUID
}

// String returns the place as a cursor, which ReadPlace reads.
func (p Place) String() string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(p.At.UnixMicro(), 10) + " " + p.ID.String()))
}

// ReadPlace reads a cursor; ok is false for what is none.
func ReadPlace(cursor string) (place Place, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	at, id, _ := strings.Cut(string(raw), " ")
	micros, errAt := strconv.ParseInt(at, 10, 64)
	found, errID := uuid.Parse(id)
	if err != nil || errAt != nil || errID != nil || micros < 0 || micros > maxMicros {
		return Place{}, false
	}
	return Place{At: time.UnixMicro(micros), ID: found}, true
}

// maxMicros is in a year that the database can hold.
const maxMicros = 1 << 57

// Filter says which entries are asked for.
type Filter struct {
	ActorID *uuid.UUID
	Action  *string
	After   *Place
	Limit   int
}

// Page is some entries, the newest first. Next is where the next page begins; nil at the end.
type Page struct {
	Entries []Entry
	Next    *Place
}

// Log is the audit logs of all accounts.
type Log struct{ db *postgres.DB }

// New returns the log.
func New(db *postgres.DB) *Log { return &Log{db: db} }

// List returns a page of an account's log to its owners and admins: NotFound where there is no such account, Forbidden
// for others.
func (l *Log) List(ctx context.Context, user, accountID uuid.UUID, f Filter) (Page, error) {
	var role string
	var at *time.Time
	var id *uuid.UUID
	if f.After != nil {
		at, id = &f.After.At, &f.After.ID
	}
	page := Page{Entries: []Entry{}}
	isAdmin := account.IsMember(&role, accountID).Then(func() error {
		if role == account.RoleMember {
			return fault.Denied()
		}
		return nil
	})
	query := "SELECT * FROM app_audit_log($1, $2, $3, $4, $5, $6)"
	entries := postgres.Rows(&page.Entries, (*Entry).fields, query, accountID, f.ActorID, f.Action, at, id, f.Limit+1)
	if err := l.db.Read(ctx, postgres.AsUser(user), isAdmin, entries); err != nil {
		return Page{}, fmt.Errorf("read the audit log: %w", err)
	}
	if len(page.Entries) > f.Limit {
		page.Entries = page.Entries[:f.Limit]
		last := page.Entries[f.Limit-1]
		page.Next = &Place{At: last.At, ID: last.ID}
	}
	return page, nil
}

func (e *Entry) fields() []any {
	return []any{
		&e.ID, &e.At, &e.ActorID, &e.ActorName, &e.ActorEmail, &e.Action, &e.TargetType,
		&e.TargetID, &e.TargetName, &e.IP, &e.Changes,
	}
}

// forgetAtOnce is how many entries are removed in a transaction.
const forgetAtOnce = 10_000

// Forget removes the entries that are older than this; none for 0.
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
