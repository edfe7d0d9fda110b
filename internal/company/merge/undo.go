package merge

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/activity"
	"dealflow/internal/company"
	"dealflow/internal/company/findings"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// Merge is a merge of one company into another, undone or not.
type Merge struct {
	ID         uuid.UUID
	CompanyID  uuid.UUID // the company that remains
	MergedID   uuid.UUID
	MergedName string
	MergedBy   *string // the user's name; nil if the user is gone
	MergedAt   time.Time
	UndoneBy   *string // the user's name; nil if the merge is not undone, or the user is gone
	UndoneAt   *time.Time
	Kept       json.RawMessage // what the undo did not put back: an array of Kept, empty until then
}

// Kept is something that the undo of a merge left as it is instead of putting it back.
type Kept struct {
	Kind   string    `json:"kind"` // "company", or the table of what the merge had moved
	ID     uuid.UUID `json:"id"`
	Field  string    `json:"field,omitempty"` // of the company
	Reason string    `json:"reason"`
}

// reasonChanged is the Reason of a field that somebody has changed since the merge. The other reasons are moved,
// removed and deleted.
const reasonChanged = "changed"

// merges returns a query of the table of merges, with the columns of Merge.
func merges(db *gorm.DB) *gorm.DB {
	return db.Table("company_merges m").Select(`m.id, m.company_id, m.merged_id, m.merged ->> 'name' AS merged_name,
		b.name AS merged_by, m.merged_at, u.name AS undone_by, m.undone_at, m.kept`).
		Joins("LEFT JOIN users b ON b.id = m.merged_by LEFT JOIN users u ON u.id = m.undone_by")
}

// find returns the latest merge that meets a condition in SQL, in which the table of merges is called m. The error is
// NotFound if there is none.
func find(tx *postgres.Tx, condition string, args ...any) (Merge, error) {
	var found []Merge
	err := merges(tx.DB).Where(condition, args...).Order("m.merged_at DESC, m.id DESC").Limit(1).Find(&found).Error
	if err != nil {
		return Merge{}, fmt.Errorf("look for a merge: %w", err)
	}
	if len(found) == 0 {
		return Merge{}, fault.NewNotFound()
	}
	return found[0], nil
}

// List returns a page of the merges into a company, and into companies that were merged into it later, the latest
// first, and the position where the next page begins, which is nil at the end. It returns the same errors as Get of a
// company.
func (s *Service) List(
	ctx context.Context, who *postgres.Identity, id uuid.UUID, page paging.Page,
) ([]Merge, *paging.Position, error) {
	var rows []Merge
	order := paging.Order{
		Columns: []paging.Column{{SQL: "m.merged_at", Type: "timestamptz"}}, ID: "m.id", Descending: true,
	}
	err := s.db.Read(ctx, who, company.Seen(id), postgres.Found(s.db, &rows, func(db *gorm.DB) *gorm.DB {
		return page.Of(order)(merges(db).Where("m.company_id = ?", id)).Find(&[]Merge{})
	}).Within(page))
	if err != nil {
		return nil, nil, fmt.Errorf("list the merges of company %s: %w", id, err)
	}
	rows, next := paging.Cut(page, rows, func(m *Merge) paging.Position { return paging.At(m.MergedAt, m.ID) })
	return rows, next, nil
}

// Undo undoes a merge: the one by which the company was merged into another, or else the latest one into it. It
// restores the merged company with all that it had, and the fields of the remaining one. What people have changed since
// stays, and is listed in Kept.
//
// The error is NotFound if the user does not see the remaining company, or Forbidden if they are not a member of its
// account. It is InvalidBody if the metadata of the remaining company would be too large. It is Conflict if there is no
// merge to undo, if a later merge must be undone first, if the remaining company is being analyzed, or if the undo
// would show somebody what they do not see now.
func (s *Service) Undo(ctx context.Context, user, id uuid.UUID) (Done, error) {
	var done Done
	err := s.db.Write(ctx, user, func(tx *postgres.Tx) error {
		survivor, err := survivorOf(tx, id)
		if err != nil {
			return err
		}
		current, err := company.Lock(tx, survivor)
		if err != nil {
			return meanwhile(err, "id")
		}
		side := "m.merged_id = ?"
		if survivor == id {
			side = "m.company_id = ?"
		}
		found, err := find(tx, side+" AND m.undone_at IS NULL", id)
		if fault.Is(err, fault.NotFound) {
			return fault.New(fault.Conflict, "not_merged", fault.Detail{Field: "id", Message: "has no merge to undo"})
		}
		if err != nil {
			return err
		}
		if err := undo(tx, current, found); err != nil {
			return err
		}
		done.Merge.ID = found.ID
		return done.load(tx, id)
	})
	return done, err
}

// survivorOf returns the id of the company into which a company was merged, or its own id if it was not. For any other
// company that the user does not see, it returns the same errors as Get of a company.
func survivorOf(tx *postgres.Tx, id uuid.UUID) (uuid.UUID, error) {
	_, err := company.Load(tx, id)
	if into := fault.SuccessorOf(err); into != "" {
		return uuid.Parse(into)
	}
	return id, err
}

// undo undoes a merge into company c, whose row the transaction has locked, and records that in the activity. It
// returns Conflict and InvalidBody as Undo does.
func undo(tx *postgres.Tx, c company.Company, m Merge) error {
	last, err := find(tx, "m.company_id = ? AND m.undone_at IS NULL", c.ID)
	if err != nil {
		return err
	}
	if last.ID != m.ID {
		return fault.New(fault.Conflict, "merge_not_last", fault.Detail{
			Field: "id", Message: fmt.Sprintf("%s was merged into %s later: undo that first", last.MergedID, c.ID),
		})
	}
	if err := atRest(tx, c.ID); err != nil {
		return err
	}
	var raw []byte
	if err := tx.Raw("SELECT changed FROM company_merges WHERE id = ?", m.ID).Row().Scan(&raw); err != nil {
		return fmt.Errorf("read what the merge changed: %w", err)
	}
	steps := change{}
	if err := json.Unmarshal(raw, &steps); err != nil {
		return fmt.Errorf("read what the merge changed: %w", err)
	}
	left, err := steps.leave(tx, c)
	if err != nil {
		return err
	}
	if err := steps.write(tx, c, true); err != nil {
		return fmt.Errorf("put the fields of company %s back: %w", c.ID, err)
	}
	var kept *string
	if err := tx.Raw("SELECT app_unmerge(?, ?::jsonb)::text", m.ID, string(encode(left))).Scan(&kept).Error; err != nil {
		return fmt.Errorf("undo merge %s: %w", m.ID, err)
	}
	if kept == nil {
		return visibilityDiffers("id")
	}
	return activity.Record(tx, c.AccountID, activity.MergeUndone, "The merge of company "+m.MergedName+" into "+c.Name+
		" was undone", &c.ID)
}

// leave removes from the change each field that somebody has set since the merge, and the status if the one to be put
// back was deleted. It returns what it removed, except the field "edited". It also removes, without returning them,
// names that are not fields of a company: an import may have brought the merge, and write uses the names in SQL.
func (ch change) leave(tx *postgres.Tx, c company.Company) ([]Kept, error) {
	now := rowValues(c)
	now["edited"], now["external_id"] = encode(c.Edited), encode(c.ExternalID)
	maps.DeleteFunc(ch, func(name string, _ step) bool {
		_, known := now[name]
		return !known && !strings.HasPrefix(name, ofMetadata)
	})
	left := []Kept{}
	for _, name := range slices.Sorted(maps.Keys(ch)) {
		reason := ""
		if !findings.SameJSON(orNull(now[name]), orNull(ch[name].To)) {
			reason = reasonChanged
		} else if name == fieldStatus && !isEmpty(ch[name].From) {
			var there bool
			err := tx.Raw("SELECT EXISTS (SELECT FROM company_statuses WHERE account_id = ? AND id::text = ?)", c.AccountID,
				strings.Trim(string(ch[name].From), `"`)).Scan(&there).Error
			if err != nil {
				return nil, fmt.Errorf("look for a status: %w", err)
			}
			if !there {
				reason = "deleted"
			}
		}
		if reason == "" {
			continue
		}
		delete(ch, name)
		if name != "edited" {
			left = append(left, Kept{Kind: "company", ID: c.ID, Field: name, Reason: reason})
		}
	}
	return left, nil
}
