// Package savedview keeps saved views of the list of companies: filters, order and columns under a name, for one user
// or for their whole account.
package savedview

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// View is a saved view. A filter that is empty matches all companies.
type View struct {
	ID        uuid.UUID
	AccountID uuid.UUID
	CreatedBy uuid.UUID
	CreatedAt time.Time
	UpdatedAt time.Time

	Draft
}

// TableName returns the name of the table, which gorm would not guess.
func (View) TableName() string { return "saved_views" }

// Service keeps saved views.
type Service struct{ db *postgres.DB }

// New returns the service on a database.
func New(db *postgres.DB) *Service { return &Service{db: db} }

// List returns a page of the views that a member sees, which are their own and the shared ones of the account, the
// oldest first. It also returns the position where the next page begins, which is nil at the end. The error is NotFound
// or Forbidden if the user is not a member of the account.
func (s *Service) List(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, page paging.Page,
) ([]View, *paging.Position, error) {
	var role string
	var found []View
	err := s.db.Read(ctx, who, account.IsMember(&role, accountID),
		postgres.Found(s.db, &found, func(tx *gorm.DB) *gorm.DB {
			return page.Of(paging.Oldest())(tx.Where("account_id = ?", accountID)).Find(&[]View{})
		}).Within(page))
	if err != nil {
		return nil, nil, fmt.Errorf("list saved views: %w", err)
	}
	found, next := paging.Cut(page, found, func(v *View) paging.Position { return paging.At(v.CreatedAt, v.ID) })
	return found, next, nil
}

// Create saves a view of the user. The error is InvalidBody if a value of the view is invalid, Conflict if the user has
// Most views already, and NotFound or Forbidden if the user is not a member of the account.
func (s *Service) Create(ctx context.Context, user, accountID uuid.UUID, in Draft) (View, error) {
	if err := in.Check(); err != nil {
		return View{}, err
	}
	made := View{ID: postgres.NewID(), AccountID: accountID, CreatedBy: user, Draft: in}
	err := s.asMember(ctx, user, accountID, func(tx *postgres.Tx) error {
		count, err := tx.CountAlone("saved views of "+user.String(),
			tx.Model(&View{}).Where("account_id = ? AND created_by = ?", accountID, user))
		if err != nil {
			return err
		}
		if count >= Most {
			return fault.New(fault.Conflict, "too_many_saved_views",
				fault.Detail{Field: "name", Message: "you have as many saved views as you may: delete one"})
		}
		if err := tx.Omit("created_at", "updated_at").Create(&made).Error; err != nil {
			return stored(err)
		}
		err = load(tx, accountID, made.ID, &made)
		tx.Made(made)
		return err
	})
	return made, err
}

// stored returns the error for an error of writing a view, which must not be nil: InvalidBody if the account has no
// such status, else err wrapped.
func stored(err error) error {
	if errors.Is(err, gorm.ErrForeignKeyViolated) {
		return fault.Field("company_status_id", "is no status of this account").Because(err)
	}
	return fmt.Errorf("store the saved view: %w", err)
}

func load(tx *postgres.Tx, accountID, id uuid.UUID, into *View) error {
	*into = View{}
	err := tx.First(into, "account_id = ? AND id = ?", accountID, id).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return fault.NewNotFound()
	}
	return err
}

// Change changes a view. The error is NotFound if the user does not see the view, and InvalidBody if a value is
// invalid. It is Forbidden if somebody else created the view, unless the user is an owner or admin and leaves the view
// shared. It is NotFound or Forbidden if the user is not a member of the account.
func (s *Service) Change(ctx context.Context, user, accountID, id uuid.UUID, change Change) (View, error) {
	var changed View
	err := s.ofUser(ctx, user, accountID, id, &changed, func(tx *postgres.Tx) error {
		if change.Shared != nil && !*change.Shared && changed.CreatedBy != user {
			return fault.NewForbidden()
		}
		changed.Draft = change.of(changed.Draft)
		if err := changed.Check(); err != nil {
			return err
		}
		err := tx.Model(&View{}).Where("id = ?", id).Updates(changed.columns()).Error
		if err != nil {
			return stored(err)
		}
		return load(tx, accountID, id, &changed)
	})
	return changed, err
}

// Delete deletes a view. The error is NotFound if the user does not see the view, Forbidden if somebody else created it
// and the user is not an owner or admin, and NotFound or Forbidden if they are not a member of the account.
func (s *Service) Delete(ctx context.Context, user, accountID, id uuid.UUID) error {
	var found View
	return s.ofUser(ctx, user, accountID, id, &found, func(tx *postgres.Tx) error {
		return tx.Where("id = ?", id).Delete(&View{}).Error
	})
}

// ofUser loads a view into view and calls fn, if the user may change the view. It returns the same errors as Delete,
// and that of fn.
func (s *Service) ofUser(
	ctx context.Context, user, accountID, id uuid.UUID, view *View, fn func(*postgres.Tx) error,
) error {
	return s.asMember(ctx, user, accountID, func(tx *postgres.Tx) error {
		if err := load(tx, accountID, id, view); err != nil {
			return err
		}
		var may []uuid.UUID // row security shows for update what may be changed
		if err := tx.Raw("SELECT id FROM saved_views WHERE id = ? FOR UPDATE", id).Scan(&may).Error; err != nil {
			return fmt.Errorf("lock saved view %s: %w", id, err)
		}
		if len(may) == 0 {
			return fault.NewForbidden()
		}
		return fn(tx)
	})
}

func (s *Service) asMember(ctx context.Context, user, accountID uuid.UUID, fn func(*postgres.Tx) error) error {
	return s.db.Write(ctx, user, account.ForMember(accountID, fn))
}

// Columns returns the columns that a member last chose for the table of companies; UsualColumns if they chose none or
// are not a member of the account.
func (s *Service) Columns(ctx context.Context, who *postgres.Identity, accountID uuid.UUID) ([]string, error) {
	var chosen []struct{ Columns postgres.Strings }
	err := s.db.Read(ctx, who, postgres.Found(s.db, &chosen, func(tx *gorm.DB) *gorm.DB {
		return tx.Table("column_choices").Select("columns").Where("account_id = ?", accountID).Find(&chosen)
	}))
	if err != nil {
		return nil, fmt.Errorf("read the chosen columns: %w", err)
	}
	if len(chosen) == 0 {
		return UsualColumns(), nil
	}
	return chosen[0].Columns, nil
}

// ChooseColumns stores the columns that a member has chosen. The error is InvalidBody if a column is not one of
// AllColumns, and NotFound or Forbidden if the user is not a member of the account.
func (s *Service) ChooseColumns(ctx context.Context, user, accountID uuid.UUID, columns []string) error {
	if err := checkColumns(columns); err != nil {
		return err
	}
	return s.asMember(ctx, user, accountID, func(tx *postgres.Tx) error {
		return tx.Exec(`INSERT INTO column_choices (account_id, user_id, columns) VALUES (?, ?, ?)
			ON CONFLICT (account_id, user_id) DO UPDATE SET columns = EXCLUDED.columns`,
			accountID, user, postgres.Strings(columns)).Error
	})
}
