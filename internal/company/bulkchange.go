package company

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/activity"
	"dealflow/internal/patch"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// manyAtOnce is the largest number of companies that ChangeMany changes in one transaction. The transaction locks their
// rows, so other changes of these companies wait until it ends.
const manyAtOnce = 200

// ManyChange is a change of many companies at once. A member that is nil, or not Set, changes nothing. A StatusID that
// is Set to nil removes the status, and Assignees replace the present ones.
type ManyChange struct {
	StatusID  patch.Nullable[uuid.UUID]
	Assignees *[]uuid.UUID
}

// Many counts the companies that were to be changed together, by the result of the change.
type Many struct {
	Changed int
	Same    int  // had the status and the assignees already
	Unseen  int  // are not companies of the account, or the caller does not see them
	Late    bool // time ran out before all were changed
}

// ChangeMany changes companies of an account, in transactions of at most manyAtOnce companies. It skips ids that are
// not companies of the account or that the caller does not see. An id that occurs twice counts once. Repeating the same
// change does nothing more. It sorts change.Assignees. The error is InvalidBody for a status or an assignee of another
// account, and for too many assignees. Membership is not checked: a caller who is no member sees no company, status or
// assignee of the account. With an error, done counts the transactions that were committed before it.
func (s *Service) ChangeMany(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, ids []uuid.UUID, change ManyChange,
) (done Many, err error) {
	distinct := slices.Clone(ids)
	slices.SortFunc(distinct, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	for some := range slices.Chunk(slices.Compact(distinct), manyAtOnce) {
		if err := s.changeSome(ctx, who, accountID, some, change, &done); err != nil {
			return done, err
		}
	}
	return done, nil
}

// ChangeMatching is ChangeMany for the companies that match a list query. It ignores the order and page of the query;
// q.AccountID must be set. If companies are left after the time end, it stops and sets Late; repeating the same change
// then changes the rest. It always begins at least one transaction. The error is also NotFound if there is no such
// account, and Forbidden if the caller is not a member of it.
func (s *Service) ChangeMatching(
	ctx context.Context, who *postgres.Identity, q ListQuery, change ManyChange, end time.Time,
) (done Many, err error) {
	// In the order of their creation, which no change alters.
	q.Sort, q.Ascending, q.Decks, q.Page = SortCreated, false, false, paging.First(manyAtOnce)
	for !done.Late {
		views, next, err := s.List(ctx, who, q)
		if err != nil {
			return done, err
		}
		ids := make([]uuid.UUID, len(views))
		for i, view := range views {
			ids[i] = view.ID
		}
		if err := s.changeSome(ctx, who, *q.AccountID, ids, change, &done); err != nil || next == nil {
			return done, err
		}
		q.After, done.Late = next, time.Now().After(end)
	}
	return done, nil
}

// oneOfMany is a company that ChangeMany or ChangeMatching has read, and whose row is locked until the transaction
// ends. Of Company, only ID, AccountID, Name, CompanyStatusID and Edited are set. analyzed reports whether the result
// of an analysis of the company is stored, even one that found no values.
type oneOfMany struct {
	Company

	assignees []uuid.UUID // sorted by their text, as Change.Check sorts them
	analyzed  bool
}

// changeSome changes companies in one transaction, except those for which isDone is true. Once that has committed, it
// adds to done how many were changed, how many needed no change, and how many are not companies of the account that the
// caller sees.
func (s *Service) changeSome(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, ids []uuid.UUID, change ManyChange, done *Many,
) error {
	full := Change{StatusID: change.StatusID, Assignees: change.Assignees}
	if err := full.Check(); err != nil {
		return err
	}
	var rows []oneOfMany
	var left []oneOfMany
	err := s.db.WriteAs(ctx, who, []postgres.Query{lockMany(&rows, accountID, ids)}, func(tx *postgres.Tx) error {
		if err := full.allowed(tx, Company{AccountID: accountID}); err != nil {
			return err
		}
		// again: another transaction, for whose end the locks waited, may have hidden some of them from the user
		seen, err := tx.Returning("SELECT id FROM companies WHERE id = ANY ($1::uuid[])", postgres.IDs(ids))
		if err != nil {
			return fmt.Errorf("look for the companies to change: %w", err)
		}
		rows = slices.DeleteFunc(rows, func(c oneOfMany) bool { return !slices.Contains(seen, c.ID) })
		left = slices.DeleteFunc(slices.Clone(rows), full.isDone)
		if len(left) == 0 {
			return nil
		}
		return full.writeMany(tx, accountID, left)
	})
	if err != nil {
		return err
	}
	done.Changed += len(left)
	done.Same += len(rows) - len(left)
	done.Unseen += len(ids) - len(rows)
	return nil
}

// lockMany returns a query that reads companies into rows and locks them until the transaction ends. It locks them in
// the order of their ids, so that two such transactions do not deadlock. Companies that are not of the account or that
// the caller does not see are left out.
func lockMany(rows *[]oneOfMany, accountID uuid.UUID, ids []uuid.UUID) postgres.Query {
	return postgres.Rows(rows, func(c *oneOfMany) []any {
		return []any{&c.ID, &c.AccountID, &c.Name, &c.CompanyStatusID, &c.Edited, &c.assignees, &c.analyzed}
	}, `SELECT c.id, c.account_id, c.name, c.company_status_id, c.edited,
			ARRAY(SELECT a.user_id FROM company_assignees a WHERE a.company_id = c.id ORDER BY a.user_id::text),
			EXISTS (SELECT 1 FROM detections d WHERE d.company_id = c.id)
		FROM companies c WHERE c.account_id = $1 AND c.id = ANY ($2) ORDER BY c.id FOR UPDATE OF c`, accountID, ids)
}

// isDone reports whether the change, which must have passed Check, would alter nothing of a company: it already has the
// status and the assignees that the change sets, and the status is marked in Edited, so that no analysis overwrites it.
func (ch *Change) isDone(c oneOfMany) bool {
	staged := !ch.StatusID.Set || same(ch.StatusID.Value, c.CompanyStatusID) && ch.edits(c.Company) == c.Edited
	return staged && (ch.Assignees == nil || slices.Equal(*ch.Assignees, c.assignees))
}

// writeMany writes the change to the companies, whose rows the transaction has locked, and records new statuses in the
// activity. It adds assignees first and removes others last, since the user may see a company only as its assignee. The
// error is InvalidBody if an assignee has left the account meanwhile, or the status was deleted.
func (ch *Change) writeMany(tx *postgres.Tx, accountID uuid.UUID, rows []oneOfMany) error {
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	if ch.Assignees != nil {
		err := tx.Run(postgres.Do("INSERT INTO company_assignees (company_id, account_id, user_id) SELECT c, $1, u FROM "+
			"unnest($2::uuid[]) AS c, unnest($3::uuid[]) AS u ON CONFLICT DO NOTHING", accountID, ids, *ch.Assignees))
		if err != nil {
			return memberGone(err, "assignees")
		}
	}
	if err := ch.updateMany(tx, rows); err != nil {
		return err
	}
	if ch.StatusID.Set {
		if err := ch.noteMany(tx, accountID, rows); err != nil {
			return err
		}
	}
	if ch.Assignees == nil {
		return nil
	}
	err := tx.Run(postgres.Do("DELETE FROM company_assignees WHERE company_id = ANY ($1) AND NOT user_id = ANY ($2)", ids,
		*ch.Assignees))
	if err != nil {
		return fmt.Errorf("remove assignees: %w", err)
	}
	return keepSeen(tx, ids...)
}

// updateMany writes the rows of companies, with one statement for all that get the same Edited. The error is NoStage if
// the status has been deleted meanwhile.
func (ch *Change) updateMany(tx *postgres.Tx, rows []oneOfMany) error {
	groups := map[string][]oneOfMany{}
	for _, row := range rows {
		edited := ch.edits(row.Company)
		groups[edited] = append(groups[edited], row)
	}
	for _, edited := range slices.Sorted(maps.Keys(groups)) {
		group := groups[edited]
		ids := make([]uuid.UUID, len(group))
		for i, row := range group {
			ids[i] = row.ID
		}
		columns, err := ch.columns(group[0].Company)
		if err != nil {
			return err
		}
		sets, args := assignments(columns, []any{ids})
		var written []uuid.UUID
		err = tx.Run(postgres.Rows(&written, func(id *uuid.UUID) []any { return []any{id} },
			"UPDATE companies SET "+sets+" WHERE id = ANY ($1) RETURNING id", args...))
		if errors.Is(err, gorm.ErrForeignKeyViolated) {
			return NoStage()
		}
		if err != nil {
			return fmt.Errorf("change %d companies: %w", len(group), err)
		}
	}
	return nil
}

// noteMany records the new status of each company in the activity, unless the company has it already. For analyzed
// companies it also compares the new status with the one that the analysis found, as learn does.
func (ch *Change) noteMany(tx *postgres.Tx, accountID uuid.UUID, rows []oneOfMany) error {
	stages, err := pipeline.Stages(tx, accountID)
	if err != nil {
		return err
	}
	name := func(id *uuid.UUID) *string {
		for i := range stages {
			if id != nil && stages[i].ID == *id {
				return &stages[i].Name
			}
		}
		return nil
	}
	var moves []activity.Entry
	for _, row := range rows {
		if !same(ch.StatusID.Value, row.CompanyStatusID) {
			moves = append(moves, activity.Entry{
				AccountID: accountID, Type: activity.StatusChanged, CompanyID: &row.ID,
				Description: moved(row.Name, name(row.CompanyStatusID), name(ch.StatusID.Value)),
			})
		}
	}
	if err := activity.RecordMany(tx, moves); err != nil {
		return err
	}
	for _, row := range rows {
		if !row.analyzed {
			continue
		}
		if err := ch.learn(tx, row.ID); err != nil {
			return err
		}
	}
	return nil
}
