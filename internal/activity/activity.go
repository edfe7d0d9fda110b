// Package activity records what users do in an account. The dashboard shows the newest entries.
package activity

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/postgres"
)

// Types of activity. The description of an entry is a sentence without its full stop, about the thing that was changed,
// such as "Company Acme was added". The description of an entry without a company must not name anything that some of
// the team may not see.
const (
	CompanyAdded   = "company_added"
	CompanyDeleted = "company_deleted"
	CompanyMerged  = "company_merged"
	MergeUndone    = "merge_undone"
	StatusChanged  = "status_changed"
	MeetingAdded   = "meeting_added"
	MeetingDeleted = "meeting_deleted"
	FormSubmitted  = "form_submitted"
	LinkCreated    = "link_created"
	LinkDeleted    = "link_deleted"
)

// Entry is one recorded action of a user.
type Entry struct {
	ID          uuid.UUID
	AccountID   uuid.UUID
	UserID      uuid.UUID
	Type        string
	Description string
	CompanyID   *uuid.UUID
	CreatedAt   time.Time
}

// TableName returns the name of the table, which gorm would not guess.
func (Entry) TableName() string { return "activity" }

// NamedEntry is an entry with the name of the user who did it; "" if the caller does not see that user.
type NamedEntry struct {
	Entry

	UserName string
}

// recordAtOnce is how many rows one statement writes: Postgres accepts at most 65535 parameters.
const recordAtOnce = 1000

// RecordMany records what the transaction's user does, in the same transaction. AccountID, Type and Description of the
// entries must be set. RecordMany sets their ID and UserID; the database sets the times.
func RecordMany(tx *postgres.Tx, entries []Entry) error {
	for i := range entries {
		entries[i].ID, entries[i].UserID = postgres.NewID(), tx.UserID()
	}
	if len(entries) == 0 {
		return nil
	}
	if err := tx.Omit("CreatedAt").CreateInBatches(entries, recordAtOnce).Error; err != nil {
		return fmt.Errorf("record activity: %w", err)
	}
	return nil
}

// Record records what the transaction's user does. kind is a type of activity. companyID is the company that the entry
// is about, and whose viewers alone see it; every member of the account sees an entry without a company. The entry is
// written before the transaction commits; if it cannot be written, the transaction fails.
func Record(tx *postgres.Tx, accountID uuid.UUID, kind, description string, companyID *uuid.UUID) error {
	entry := Entry{
		ID: postgres.NewID(), AccountID: accountID, UserID: tx.UserID(), Type: kind, Description: description,
		CompanyID: companyID,
	}
	return tx.Later(func(db *gorm.DB) *gorm.DB { return db.Omit("CreatedAt").Create(&entry) }, nil)
}

// Query returns a query that does what Record does, for a caller that sends several queries in one round trip.
func Query(accountID uuid.UUID, kind, description string, companyID *uuid.UUID) postgres.Query {
	return postgres.Do(`INSERT INTO activity (id, account_id, user_id, type, description, company_id) VALUES ($1, $2,
		app_user_id(), $3, $4, $5)`,
		postgres.NewID(), accountID, kind, description, companyID)
}
