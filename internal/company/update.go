package company

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dealflow/internal/account"
	"dealflow/internal/company/plain"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Update changes a company, records a new status in the activity, and returns the changed company, with its deck, as
// the caller sees it. It returns the same errors as Get. The error is also InvalidBody if members are invalid, if the
// metadata would be too large, or for a status or an assignee of another account; Forbidden if somebody other than its
// creator makes the company private; and the error of the change's Demand, or of a check that postgres.Requiring set in
// ctx. After any error but postgres.ErrOutcomeUnknown nothing is changed. If somebody other than its creator makes the
// company shared, it is also shared with them, unless they are an assignee.
func (s *Service) Update(ctx context.Context, who *postgres.Identity, id uuid.UUID, change Change) (View, error) {
	if err := change.Check(); err != nil {
		return View{}, err
	}
	var rows []locked
	var view View
	err := s.db.WriteAs(ctx, who, []postgres.Query{lockQuery(&rows, id)}, func(tx *postgres.Tx) error {
		if len(rows) == 0 {
			return whyNot(tx, id)
		}
		if err := postgres.Require(tx, func() (View, error) { return Load(tx, id) }); err != nil {
			return err
		}
		if err := change.allowed(tx, rows[0].Company); err != nil {
			return err
		}
		if change.Demand != nil {
			if err := change.Demand(rows[0].Company); err != nil {
				return err
			}
		}
		var err error
		view, err = s.update(tx, rows[0], change)
		return err
	})
	return view, err
}

// locked is a company whose row the transaction has locked. Of Company, the source, the path of the deck, the external
// id, the last writer and the times are not set.
type locked struct {
	Company

	worded bool // its words can be found by PlainWords: it has no text of a file, and SourceContent was read
}

// lockQuery returns a query that reads the company into rows and locks it until the transaction ends. If a file of the
// company has a text, or the company's own text is longer than 10,000 bytes, SourceContent is not read, and the
// database must find the words of the company.
func lockQuery(rows *[]locked, id uuid.UUID) postgres.Query {
	return postgres.Rows(rows, func(c *locked) []any {
		fields := []any{
			&c.ID, &c.AccountID, &c.Name, &c.Visibility, &c.CompanyStatusID, (*[]byte)(&c.Metadata), &c.Edited, &c.CreatedBy,
			&c.worded, &c.SourceContent,
		}
		for _, field := range c.Plain() {
			fields = append(fields, field.Value)
		}
		return fields
	}, `SELECT c.id, c.account_id, c.name, c.visibility, c.company_status_id, c.metadata, c.edited, c.created_by, w.worded,
			CASE WHEN w.worded THEN c.source_content END, `+plain.SQL("c.")+`
		FROM companies c CROSS JOIN LATERAL (SELECT COALESCE(octet_length(c.source_content), 0) <= 10000
			AND NOT EXISTS (SELECT 1 FROM file_texts f WHERE f.company_id = c.id) AS worded) AS w
		WHERE c.id = $1 FOR UPDATE OF c`, id)
}

// Lock returns a company and locks its row until the transaction ends. It returns the same errors as Get.
func Lock(tx *postgres.Tx, id uuid.UUID) (Company, error) {
	return Find(tx, tx.Clauses(clause.Locking{Strength: "UPDATE"}), id)
}

// Find returns a company, read by a query of the transaction, which may also lock it. It returns the same errors as
// Get.
func Find(tx *postgres.Tx, query *gorm.DB, id uuid.UUID) (Company, error) {
	var current Company
	err := query.First(&current, "id = ?", id).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return current, whyNot(tx, id)
	}
	if err != nil {
		return current, fmt.Errorf("read company %s: %w", id, err)
	}
	return current, nil
}

// allowed returns InvalidBody for a status or an assignee of another account, and Forbidden if somebody other than its
// creator makes the company private.
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
		return fault.New(fault.Forbidden, "only_creator_may_make_private",
			fault.Detail{Field: "visibility", Message: "only who created the company may make it private"})
	}
	return nil
}

// requireMembers returns InvalidBody for the field if one of the users is not a member of the account.
func requireMembers(tx *postgres.Tx, accountID uuid.UUID, field string, users []uuid.UUID) error {
	if len(users) == 0 {
		return nil
	}
	var members []uuid.UUID
	err := tx.Raw("SELECT user_id FROM memberships WHERE account_id = ? AND user_id IN ?", accountID,
		users).Scan(&members).Error
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

// update writes the change to the company, whose row is locked, and returns the changed company. It adds assignees and
// shares first and removes assignees last, so that the user sees the company until the end: their own change may hide
// it from them. It does not check the change.
func (s *Service) update(tx *postgres.Tx, current locked, change Change) (View, error) {
	if change.Assignees != nil {
		if err := assign(tx, current.Company, *change.Assignees); err != nil {
			return View{}, err
		}
	}
	if change.Visibility != nil && *change.Visibility == VisibilityShared && current.CreatedBy != tx.UserID() {
		if err := keepSight(tx, current.Company, change); err != nil {
			return View{}, err
		}
	}
	view, err := change.write(tx, current)
	if err != nil {
		return View{}, err
	}
	if err := change.learn(tx, current.ID); err != nil || change.Assignees == nil {
		return view, err
	}
	view.Assignees = slices.DeleteFunc(view.Assignees,
		func(u account.User) bool { return !slices.Contains(*change.Assignees, u.ID) })
	return view, unassign(tx, current.Company, *change.Assignees)
}

// keepSight shares the company with the transaction's user, unless they are an assignee: otherwise they would no longer
// see it once its visibility is shared. Call it for a user who did not create the company.
func keepSight(tx *postgres.Tx, c Company, change Change) error {
	if change.Assignees != nil && slices.Contains(*change.Assignees, tx.UserID()) {
		return nil
	}
	if change.Assignees == nil {
		var assigned bool
		err := tx.Raw("SELECT EXISTS (SELECT 1 FROM company_assignees WHERE company_id = ? AND user_id = ?)", c.ID,
			tx.UserID()).Scan(&assigned).Error
		if err != nil || assigned {
			return err
		}
	}
	return share(tx, c, tx.UserID())
}

// write changes the company's row, records in the activity that the status changed, and returns the changed company
// with its deck. It does not write the assignees. If the change sets nothing, it writes nothing. The error is
// InvalidBody if the status has been deleted meanwhile, or if the metadata would be too large, and one of those of Get
// if the user lost sight of the company before it was locked.
func (ch *Change) write(tx *postgres.Tx, c locked) (View, error) {
	columns, err := ch.columns(c.Company)
	if err != nil {
		return View{}, err
	}
	ch.bringWords(columns, c)
	if len(columns) == 0 && ch.Assignees == nil {
		return Load(tx, c.ID)
	}
	var rows []viewRow
	if err := tx.Run(updateQuery(&rows, c.ID, columns)); err != nil {
		if errors.Is(err, gorm.ErrForeignKeyViolated) {
			return View{}, fault.Field("company_status_id", "is no status of this account").Because(err)
		}
		return View{}, fmt.Errorf("change company %s: %w", c.ID, err)
	}
	if len(rows) == 0 { // another transaction, for whose end the lock waited, hid the company from the user
		return View{}, whyNot(tx, c.ID)
	}
	if ch.StatusID.Set && !same(ch.StatusID.Value, c.CompanyStatusID) {
		if ch.Name != nil {
			c.Name = *ch.Name
		}
		if err := recordMove(tx, c.Company, ch.StatusID.Value); err != nil {
			return View{}, err
		}
	}
	return rows[0].view()
}

// updateQuery returns a query that sets columns of a company as assignments does, and reads the changed company with
// its deck into rows. rows stays empty if the user may not change the company.
func updateQuery(rows *[]viewRow, id uuid.UUID, columns map[string]any) postgres.Query {
	sets, args := assignments(columns, []any{id})
	s := viewed().withDeck(true)
	return postgres.Rows(rows, s.fields, "WITH c AS (UPDATE companies SET "+sets+" WHERE id = $1 RETURNING *) SELECT "+
		s.columns+" FROM c"+s.joins, args...)
}

// assignments returns the SQL that sets columns of a company, such as "name = $2", and its last writer and time of
// change; and the arguments with the new values appended. columns has the values by the names of the columns.
func assignments(columns map[string]any, args []any) (string, []any) {
	sets := []string{"updated_by = app_user_id()", "updated_at = clock_timestamp()"}
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		args = append(args, columns[name])
		sets = append(sets, fmt.Sprintf("%s = $%d", name, len(args)))
	}
	return strings.Join(sets, ", "), args
}

// assign assigns the company to users. It skips users to whom the company is assigned already. The error is InvalidBody
// if a user is not a member of the account.
func assign(tx *postgres.Tx, c Company, users []uuid.UUID) error {
	for _, user := range users {
		err := tx.Exec("INSERT INTO company_assignees (company_id, account_id, user_id) VALUES (?, ?, ?) ON CONFLICT DO "+
			"NOTHING", c.ID, c.AccountID, user).Error
		if err != nil {
			return memberGone(err, "assignees")
		}
	}
	return nil
}

// unassign removes all assignees of the company except kept. If nobody would see the company after that, an owner
// becomes its creator: see keepSeen.
func unassign(tx *postgres.Tx, c Company, kept []uuid.UUID) error {
	query := tx.Table("company_assignees").Where("company_id = ?", c.ID)
	if len(kept) > 0 {
		query = query.Where("user_id NOT IN ?", kept)
	}
	done := query.Delete(nil)
	if done.Error != nil {
		return fmt.Errorf("remove assignees: %w", done.Error)
	}
	if done.RowsAffected == 0 {
		return nil
	}
	return keepSeen(tx, c.ID)
}

// memberGone returns InvalidBody for the field if err says that a user has left the account meanwhile. It wraps any
// other error.
func memberGone(err error, field string) error {
	if errors.Is(err, gorm.ErrForeignKeyViolated) {
		return fault.Field(field, "names somebody who is no member of this account").Because(err)
	}
	return fmt.Errorf("write %s: %w", field, err)
}
