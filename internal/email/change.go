package email

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/company"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Changes are changes of an email. A nil member changes nothing.
type Changes struct {
	Processed  *bool
	Tags       *[]string
	CompanyIDs *[]uuid.UUID // replace the linked companies that the user sees; links to others stay
}

// Update applies the changes and returns the changed email. The error is that of Get; InvalidBody with every invalid
// member, or for a company that is not of the account or that the user does not see; or that of a check that
// postgres.Requiring set in ctx. None of these leaves a change.
func (s *Service) Update(ctx context.Context, user, accountID, id uuid.UUID, c Changes) (View, error) {
	if err := c.Check(); err != nil {
		return View{}, err
	}
	var changed View
	err := account.AsMember(ctx, s.db, user, accountID, func(tx *postgres.Tx) error {
		if err := postgres.Require(tx, func() (View, error) { return s.lock(tx, accountID, id) }); err != nil {
			return err
		}
		done := tx.Model(&Email{}).Where("account_id = ? AND id = ?", accountID, id).Updates(c.columns())
		if done.Error != nil {
			return fmt.Errorf("change email %s: %w", id, done.Error)
		}
		if done.RowsAffected == 0 {
			return fault.NewNotFound()
		}
		if c.CompanyIDs != nil {
			if err := relink(tx, accountID, id, *c.CompanyIDs); err != nil {
				return err
			}
		}
		var err error
		changed, err = s.load(tx, accountID, id)
		return err
	})
	return changed, err
}

// lock loads an email and locks its row until the transaction ends. The error is NotFound if there is none.
func (s *Service) lock(tx *postgres.Tx, accountID, id uuid.UUID) (View, error) {
	tx.Put(postgres.Do("SELECT FROM emails WHERE account_id = $1 AND id = $2 FOR UPDATE", accountID, id))
	return s.load(tx, accountID, id)
}

// Check returns InvalidBody with every invalid tag, and for too many tags or companies. It does not look up the email
// and the companies.
func (c Changes) Check() error {
	var wrong []fault.Detail
	if c.Tags != nil {
		wrong = checkTags(*c.Tags)
	}
	if c.CompanyIDs != nil && len(*c.CompanyIDs) > MaxCompanies {
		wrong = append(wrong, fault.Detail{Field: "company_ids", Message: fmt.Sprintf("are more than %d", MaxCompanies)})
	}
	if len(wrong) > 0 {
		return fault.New(fault.InvalidBody, "invalid_field", wrong...)
	}
	return nil
}

func (c Changes) columns() map[string]any {
	columns := map[string]any{"updated_at": gorm.Expr("now()")}
	if c.Processed != nil {
		columns["processed"] = *c.Processed
	}
	if c.Tags != nil {
		columns["tags"] = postgres.Strings(distinct(*c.Tags))
	}
	return columns
}

// relink links the email to these companies and removes its links to other companies that the user sees. Links to
// companies that the user does not see stay. The error is InvalidBody if the user does not see one of the companies.
func relink(tx *postgres.Tx, accountID, id uuid.UUID, companyIDs []uuid.UUID) error {
	if err := company.RequireVisible(tx, accountID, "company_ids", companyIDs...); err != nil {
		return err
	}
	gone := tx.Where("email_id = ?", id)
	if len(companyIDs) > 0 {
		gone = gone.Where("company_id NOT IN ?", companyIDs)
	}
	if err := gone.Delete(&Link{}).Error; err != nil {
		return fmt.Errorf("unlink email %s: %w", id, err)
	}
	return link(tx.DB, accountID, id, companyIDs)
}
