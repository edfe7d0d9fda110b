package company

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dealflow/internal/account"
	"dealflow/internal/activity"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Update changes what the change names and gives the company as the user sees it then. Refusals as of Get; InvalidBody for a status
// or an assignee of another account, Forbidden for a private company in the hands of anybody but its creator.
func (s *Service) Update(ctx context.Context, user, id uuid.UUID, change Change) (View, error) {
	if err := change.validate(); err != nil {
		return View{}, err
	}
	var view View
	err := s.DB.As(ctx, user, func(tx *postgres.Tx) error {
		current, err := lock(tx, id)
		if err != nil {
			return err
		}
		if err := change.allowed(tx, current); err != nil {
			return err
		}
		view, err = s.update(tx, current, change)
		return err
	})
	return view, err
}

// lock gives the company to the transaction alone until it ends.
func lock(tx *postgres.Tx, id uuid.UUID) (Company, error) {
	var current Company
	err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&current, "id = ?", id).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return current, whyNot(tx, id)
	}
	if err != nil {
		return current, fmt.Errorf("lock company %s: %w", id, err)
	}
	return current, nil
}

// allowed checks what the company's account and its creator have to say.
func (ch *Change) allowed(tx *postgres.Tx, c Company) error {
	if ch.StatusID.Value != nil {
		if err := requireStatus(tx, c.AccountID, *ch.StatusID.Value); err != nil {
			return err
		}
	}
	if ch.Assignees != nil {
		if err := requireMembers(tx, c.AccountID, "assignees", *ch.Assignees); err != nil {
			return err
		}
	}
	if ch.Visibility != nil && *ch.Visibility == VisibilityPrivate && c.CreatedBy != tx.UserID() {
		return fault.New(fault.Forbidden, "only_creator_may_make_private", fault.Detail{Field: "visibility", Message: "only who created the company may make it private"})
	}
	return nil
}

// requireMembers refuses users who are not in the account.
func requireMembers(tx *postgres.Tx, accountID uuid.UUID, field string, users []uuid.UUID) error {
	if len(users) == 0 {
		return nil
	}
	var members []uuid.UUID
	err := tx.Raw("SELECT user_id FROM memberships WHERE account_id = ? AND user_id IN ?", accountID, users).Scan(&members).Error
	if err != nil {
		return fmt.Errorf("look for members: %w", err)
	}
	for _, user := range users {
		if !slices.Contains(members, user) {
			return fault.Field(field, user.String()+" is no member of this account")
		}
	}
	return nil
}

// update writes in an order in which the user sees the company until the end: he may be about to lose sight of it by his own change.
func (s *Service) update(tx *postgres.Tx, current Company, change Change) (View, error) {
	if change.Assignees != nil {
		if err := assign(tx, current, *change.Assignees); err != nil {
			return View{}, err
		}
	}
	if change.Visibility != nil && *change.Visibility == VisibilityShared && current.CreatedBy != tx.UserID() {
		if err := keepSight(tx, current, change); err != nil {
			return View{}, err
		}
	}
	if err := change.write(tx, current); err != nil {
		return View{}, err
	}
	if err := change.learn(tx, current.ID); err != nil {
		return View{}, err
	}
	views, err := s.load(tx, []uuid.UUID{current.ID})
	if err != nil || len(views) == 0 {
		return View{}, errors.Join(err, whyMissing(views))
	}
	view := views[0]
	if change.Assignees == nil {
		return view, nil
	}
	view.Assignees = slices.DeleteFunc(view.Assignees, func(u account.User) bool { return !slices.Contains(*change.Assignees, u.ID) })
	return view, unassign(tx, current, *change.Assignees)
}

// whyMissing is no refusal but a mistake of ours: what a user may write he also sees.
func whyMissing(views []View) error {
	if len(views) == 0 {
		return errors.New("the company is out of its writer's sight")
	}
	return nil
}

// keepSight adds to the shares who makes a company shared without being its creator or assignee.
func keepSight(tx *postgres.Tx, c Company, change Change) error {
	if change.Assignees != nil && slices.Contains(*change.Assignees, tx.UserID()) {
		return nil
	}
	if change.Assignees == nil {
		var assigned bool
		err := tx.Raw("SELECT EXISTS (SELECT 1 FROM company_assignees WHERE company_id = ? AND user_id = ?)", c.ID, tx.UserID()).Scan(&assigned).Error
		if err != nil || assigned {
			return err
		}
	}
	return share(tx, c, tx.UserID())
}

// write changes the row, and records a move in the pipeline.
func (ch *Change) write(tx *postgres.Tx, c Company) error {
	columns, err := ch.columns(c)
	if err != nil || len(columns) == 0 && ch.Assignees == nil {
		return err
	}
	columns["updated_by"], columns["updated_at"] = tx.UserID(), gorm.Expr("clock_timestamp()")
	err = tx.Model(&Company{}).Where("id = ?", c.ID).UpdateColumns(columns).Error
	if errors.Is(err, gorm.ErrForeignKeyViolated) {
		return fault.Field("company_status_id", "is no status of this account").Because(err)
	}
	if err != nil {
		return fmt.Errorf("change company %s: %w", c.ID, err)
	}
	if !ch.StatusID.Set || same(ch.StatusID.Value, c.CompanyStatusID) {
		return nil
	}
	if ch.Name != nil {
		c.Name = *ch.Name
	}
	return recordMove(tx, c, ch.StatusID.Value)
}

func same(a, b *uuid.UUID) bool { return a == b || a != nil && b != nil && *a == *b }

func recordMove(tx *postgres.Tx, c Company, to *uuid.UUID) error {
	var ids []uuid.UUID
	for _, id := range []*uuid.UUID{c.CompanyStatusID, to} {
		if id != nil {
			ids = append(ids, *id)
		}
	}
	statuses, err := statusesByID(tx.DB, ids)
	if err != nil {
		return err
	}
	word := func(id *uuid.UUID) string {
		if id == nil || statuses[*id] == nil {
			return "no status"
		}
		return statuses[*id].Name
	}
	return activity.Record(tx, c.AccountID, activity.StatusChanged, fmt.Sprintf("Company %s moved from %s to %s", c.Name, word(c.CompanyStatusID), word(to)), &c.ID)
}

// assign adds those of the users who are not assigned yet.
func assign(tx *postgres.Tx, c Company, users []uuid.UUID) error {
	for _, user := range users {
		err := tx.Exec("INSERT INTO company_assignees (company_id, account_id, user_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", c.ID, c.AccountID, user).Error
		if err != nil {
			return memberGone(err, "assignees")
		}
	}
	return nil
}

// unassign removes everybody but these users.
func unassign(tx *postgres.Tx, c Company, kept []uuid.UUID) error {
	query := tx.Table("company_assignees").Where("company_id = ?", c.ID)
	if len(kept) > 0 {
		query = query.Where("user_id NOT IN ?", kept)
	}
	if err := query.Delete(nil).Error; err != nil {
		return fmt.Errorf("remove assignees: %w", err)
	}
	return nil
}

// memberGone tells a membership that ended meanwhile from other trouble.
func memberGone(err error, field string) error {
	if errors.Is(err, gorm.ErrForeignKeyViolated) {
		return fault.Field(field, "names somebody who is no member of this account").Because(err)
	}
	return fmt.Errorf("write %s: %w", field, err)
}
