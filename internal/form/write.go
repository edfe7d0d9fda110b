package form

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dealflow/internal/account"
	"dealflow/internal/activity"
	"dealflow/internal/company"
	"dealflow/internal/patch"
	"dealflow/internal/postgres"
)

// Draft is a submission that a client enters by hand.
type Draft struct {
	Data      json.RawMessage // an array of answers
	CompanyID *uuid.UUID
	Metadata  json.RawMessage // an object; nil: none
}

// Changes are changes of a submission. A member that is nil, or not Set, changes nothing.
type Changes struct {
	CompanyID patch.Nullable[uuid.UUID]
	Processed *bool
	Metadata  json.RawMessage // an object; its members replace those of the same name, the others stay
}

// Check returns InvalidBody with every part of the answers that is wrong. It does not check the metadata.
func (d Draft) Check() error { return checkAnswers(d.Data) }

// Create stores a submission as Manual, and records that in the activity. The error is InvalidBody for invalid answers,
// for too large metadata, and for a company that is not of the account or that the user does not see. It is NotFound if
// there is no such account, and Forbidden if the user is not a member of it.
func (s *Service) Create(ctx context.Context, user, accountID uuid.UUID, d Draft) (Submission, error) {
	if err := d.Check(); err != nil {
		return Submission{}, err
	}
	made := Submission{
		ID: postgres.NewID(), AccountID: accountID, Data: d.Data, CompanyID: d.CompanyID, IntegrationType: Manual,
		Metadata: d.Metadata,
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
			return company.MetadataFault(fmt.Errorf("store the form submission: %w", err))
		}
		if err := activity.Record(tx, accountID, activity.FormSubmitted, "A form submission was added",
			made.CompanyID); err != nil {
			return err
		}
		err := load(tx.DB, accountID, made.ID, &made)
		tx.Made(made)
		return err
	}))
	return made, err
}

// Update applies the changes and returns the changed submission. The error is that of Get; InvalidBody for too large
// metadata and for a company that is not of the account or that the user does not see; or that of a check that
// postgres.Requiring set in ctx. None of these leaves a change.
func (s *Service) Update(ctx context.Context, user, accountID, id uuid.UUID, c Changes) (Submission, error) {
	var changed Submission
	err := account.AsMember(ctx, s.db, user, accountID, func(tx *postgres.Tx) error {
		if err := postgres.Require(tx, func() (current Submission, err error) {
			err = load(tx.Clauses(clause.Locking{Strength: "UPDATE"}), accountID, id, &current)
			return current, err
		}); err != nil {
			return err
		}
		if c.CompanyID.Value != nil {
			if err := company.RequireVisible(tx, accountID, "company_id", *c.CompanyID.Value); err != nil {
				return err
			}
		}
		done := tx.Model(&Submission{}).Where("account_id = ? AND id = ?", accountID, id).Updates(c.columns())
		if done.Error != nil {
			return company.MetadataFault(fmt.Errorf("change form submission %s: %w", id, done.Error))
		}
		return load(tx.DB, accountID, id, &changed) // NotFound where nothing was there to change
	})
	return changed, err
}

func (c Changes) columns() map[string]any {
	columns := map[string]any{"updated_at": gorm.Expr("now()")}
	if c.CompanyID.Set {
		columns["company_id"] = c.CompanyID.Value
	}
	if c.Processed != nil {
		columns["processed"] = *c.Processed
	}
	if c.Metadata != nil {
		columns["metadata"] = gorm.Expr("metadata || ?::jsonb", string(c.Metadata))
	}
	return columns
}
