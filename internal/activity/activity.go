// Package activity keeps who did what: the audit trail, from which the dashboard takes its recent activity.
package activity

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/postgres"
)

// Types of activity. A description is a sentence without its full stop, whose subject is what something was done to:
// Company Acme was added. What not everybody in the team may see is not named where the entry has no company.
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

// Entry is one thing that somebody did.
type Entry struct {
	ID          uuid.UUID
	AccountID   uuid.UUID
	UserID      uuid.UUID
	Type        string
	Description string
	CompanyID   *uuid.UUID
	CreatedAt   time.Time
}

// TableName is what gorm would not guess.
func (Entry) TableName() string { return "activity" }

// recordAtOnce is how many rows one statement writes: Postgres takes 65535 parameters.
const recordAtOnce = 1000

// RecordMany writes down what the transaction's user does, in the same transaction; id, user and time of the entries
// are filled.
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

// Record writes down what the transaction's user does, before the transaction commits.
func Record(tx *postgres.Tx, accountID uuid.UUID, kind, description string, companyID *uuid.UUID) error {
	entry := Entry{
		ID: postgres.NewID(), AccountID: accountID, UserID: tx.UserID(), Type: kind, Description: description,
		CompanyID: companyID,
	}
	return tx.Later(func(db *gorm.DB) *gorm.DB { return db.Omit("CreatedAt").Create(&entry) }, nil)
}

// Query is Record for the caller of a pipeline.
func Query(accountID uuid.UUID, kind, description string, companyID *uuid.UUID) postgres.Query {
	return postgres.Do(`INSERT INTO activity (id, account_id, user_id, type, description, company_id) VALUES ($1, $2,
		app_user_id(), $3, $4, $5)`,
		postgres.NewID(), accountID, kind, description, companyID)
}
