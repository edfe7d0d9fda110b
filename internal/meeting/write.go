package meeting

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dealflow/internal/account"
	"dealflow/internal/activity"
	"dealflow/internal/blank"
	"dealflow/internal/company"
	"dealflow/internal/fault"
	"dealflow/internal/patch"
	"dealflow/internal/postgres"
)

// Draft is minutes that a client creates. Nil and empty fields were not given.
type Draft struct {
	Title       string
	Content     *string
	CompanyID   *uuid.UUID
	MeetingDate *time.Time
	Attendees   []string
	Metadata    json.RawMessage // an object
}

// Changes are changes of minutes. A member that is nil, or not Set, changes nothing.
type Changes struct {
	Title       *string
	Content     patch.Nullable[string]
	CompanyID   patch.Nullable[uuid.UUID]
	MeetingDate patch.Nullable[time.Time]
	Attendees   *[]string
	Processed   *bool
	Metadata    json.RawMessage // an object; its members replace those of the same name, the others stay
}

// Create stores minutes and records that in the activity. The error is InvalidBody with every invalid member, or for
// too large metadata and for a company that is not of the account or that the user does not see. It is NotFound if
// there is no such account, and Forbidden if the user is not a member of it.
func (s *Service) Create(ctx context.Context, user, accountID uuid.UUID, d Draft) (Minutes, error) {
	if err := d.Check(); err != nil {
		return Minutes{}, err
	}
	made := Minutes{
		ID: postgres.NewID(), AccountID: accountID, Title: d.Title, Content: d.Content, CompanyID: d.CompanyID,
		MeetingDate: d.MeetingDate,
		Attendees:   d.Attendees, Metadata: d.Metadata, CreatedBy: user,
	}
	if len(made.Metadata) == 0 {
		made.Metadata = json.RawMessage(`{}`)
	}
	err := s.db.Write(ctx, user, account.ForMember(accountID, func(tx *postgres.Tx) error {
		if d.CompanyID != nil {
			if err := company.RequireVisible(tx, accountID, "company_id", *d.CompanyID); err != nil {
				return err
			}
		}
		if err := tx.Omit("CreatedAt", "UpdatedAt").Create(&made).Error; err != nil {
			return company.MetadataFault(fmt.Errorf("store meeting minutes: %w", err))
		}
		if err := activity.Record(tx, accountID, activity.MeetingAdded, "Meeting minutes "+made.Title+" were added",
			made.CompanyID); err != nil {
			return err
		}
		err := load(tx.DB, accountID, made.ID, &made)
		tx.Made(made)
		return err
	}))
	return made, err
}

// Update applies the changes and returns the changed minutes. It returns the errors of Create; NotFound if the account
// has no such minutes or their company is hidden from the user; and the error of a check that postgres.Requiring set in
// ctx. After any error nothing is changed.
func (s *Service) Update(ctx context.Context, user, accountID, id uuid.UUID, c Changes) (Minutes, error) {
	if err := c.Check(); err != nil {
		return Minutes{}, err
	}
	var changed Minutes
	err := account.AsMember(ctx, s.db, user, accountID, func(tx *postgres.Tx) error {
		if err := postgres.Require(tx, func() (m Minutes, err error) {
			err = lock(tx, accountID, id, &m)
			return m, err
		}); err != nil {
			return err
		}
		if c.CompanyID.Value != nil {
			if err := company.RequireVisible(tx, accountID, "company_id", *c.CompanyID.Value); err != nil {
				return err
			}
		}
		done := tx.Model(&Minutes{}).Where("account_id = ? AND id = ?", accountID, id).Updates(c.columns())
		if done.Error != nil {
			return company.MetadataFault(fmt.Errorf("change meeting minutes %s: %w", id, done.Error))
		}
		return load(tx.DB, accountID, id, &changed) // NotFound where nothing was there to change
	})
	return changed, err
}

func (c Changes) columns() map[string]any {
	columns := map[string]any{"updated_at": gorm.Expr("now()")}
	if c.Title != nil {
		columns["title"] = *c.Title
	}
	if c.Content.Set {
		columns["content"] = c.Content.Value
	}
	if c.CompanyID.Set {
		columns["company_id"] = c.CompanyID.Value
	}
	if c.MeetingDate.Set {
		columns["meeting_date"] = c.MeetingDate.Value
	}
	if c.Attendees != nil {
		columns["attendees"] = postgres.Strings(*c.Attendees)
	}
	if c.Processed != nil {
		columns["processed"] = *c.Processed
	}
	if c.Metadata != nil {
		columns["metadata"] = gorm.Expr("metadata || ?::jsonb", string(c.Metadata))
	}
	return columns
}

// Delete deletes minutes and records that in the activity. It returns the same errors as Get, and the error of a check
// that postgres.Requiring set in ctx. After any error nothing is deleted.
func (s *Service) Delete(ctx context.Context, user, accountID, id uuid.UUID) error {
	return account.AsMember(ctx, s.db, user, accountID, func(tx *postgres.Tx) error {
		var gone Minutes
		if err := lock(tx, accountID, id, &gone); err != nil {
			return err
		}
		if err := postgres.Require(tx, func() (Minutes, error) { return gone, nil }); err != nil {
			return err
		}
		done := tx.Where("account_id = ? AND id = ?", accountID, id).Delete(&Minutes{})
		if done.Error != nil {
			return fmt.Errorf("delete meeting minutes %s: %w", id, done.Error)
		}
		if done.RowsAffected == 0 { // another transaction, for whose end the lock waited, hid the company from the user
			return fault.NewNotFound()
		}
		return activity.Record(tx, accountID, activity.MeetingDeleted, "Meeting minutes "+gone.Title+" were deleted",
			gone.CompanyID)
	})
}

// lock loads minutes and locks their row until the transaction ends. The error is NotFound if there are none.
func lock(tx *postgres.Tx, accountID, id uuid.UUID, into *Minutes) error {
	return load(tx.Clauses(clause.Locking{Strength: "UPDATE"}), accountID, id, into)
}

// Check trims the title and returns InvalidBody with every invalid title or attendee. It does not check the metadata
// and the company.
func (d *Draft) Check() error {
	d.Title = blank.Trim(d.Title)
	return check(&d.Title, &d.Attendees)
}

// Check trims the title and returns InvalidBody with every invalid title or attendee. It does not check the metadata
// and the company.
func (c *Changes) Check() error {
	if c.Title != nil {
		c.Title = new(blank.Trim(*c.Title))
	}
	return check(c.Title, c.Attendees)
}

// check returns InvalidBody with every invalid title or attendee. It skips arguments that are nil.
func check(title *string, attendees *[]string) error {
	var wrong []fault.Detail
	refuse := func(field, message string) { wrong = append(wrong, fault.Detail{Field: field, Message: message}) }
	if title != nil && *title == "" {
		refuse("title", "must hold something besides white space")
	}
	if title != nil && utf8.RuneCountInString(*title) > MaxTitle {
		refuse("title", fmt.Sprintf("has more than %d characters", MaxTitle))
	}
	if attendees != nil {
		if len(*attendees) > MaxAttendees {
			refuse("attendees", fmt.Sprintf("are more than %d", MaxAttendees))
		}
		for i, attendee := range *attendees {
			if utf8.RuneCountInString(attendee) > MaxAttendee {
				refuse(fmt.Sprintf("attendees.%d", i), fmt.Sprintf("has more than %d characters", MaxAttendee))
			}
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.InvalidBody, "invalid_field", wrong...)
	}
	return nil
}
