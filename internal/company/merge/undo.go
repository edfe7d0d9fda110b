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
	"gorm.io/gorm/clause"

	"dealflow/internal/activity"
	"dealflow/internal/company"
	"dealflow/internal/company/findings"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Merge is a merge that was done, and maybe undone.
type Merge struct {
	ID         uuid.UUID
	CompanyID  uuid.UUID // the one that survives
	MergedID   uuid.UUID
	MergedName string
	MergedBy   *string // who did it
	MergedAt   time.Time
	UndoneBy   *string
	UndoneAt   *time.Time
	Kept       json.RawMessage // what the undo left: an array of Kept
}

// Kept is something that the undo of a merge left as it is.
type Kept struct {
	Kind   string    `json:"kind"` // company, or the table of what was moved
	ID     uuid.UUID `json:"id"`
	Field  string    `json:"field,omitempty"` // of a company
	Reason string    `json:"reason"`
}

// reasonChanged is why a member keeps the value that it has. Others are the database's: moved, removed and deleted.
const reasonChanged = "changed"

// merges returns the query of a company's merges, and of those that companies brought that were merged into it.
func merges(db *gorm.DB, id uuid.UUID) *gorm.DB {
	return db.Table("company_merges m").Select(`m.id, m.company_id, m.merged_id, m.merged ->> 'name' AS merged_name,
		b.name AS merged_by, m.merged_at, u.name AS undone_by, m.undone_at, m.kept`).
		Joins("LEFT JOIN users b ON b.id = m.merged_by LEFT JOIN users u ON u.id = m.undone_by").
		Where("m.company_id = ?", id)
}

func find(tx *postgres.Tx, id, merge uuid.UUID) (Merge, error) {
	var found []Merge
	if err := merges(tx.DB, id).Find(&found, "m.id = ?", merge).Error; err != nil {
		return Merge{}, fmt.Errorf("read merge %s: %w", merge, err)
	}
	if len(found) == 0 {
		return Merge{}, fault.NewNotFound()
	}
	return found[0], nil
}

// List returns a page of the merges into a company, the last first, and where the next begins; nil at the end. It
// refuses as Get of a company does.
func (s *Service) List(
	ctx context.Context, who *postgres.Identity, id uuid.UUID, page postgres.Page,
) ([]Merge, *postgres.Place, error) {
	var rows []Merge
	order := postgres.Order{
		Columns: []postgres.Column{{SQL: "m.merged_at", Type: "timestamptz"}}, ID: "m.id", Descending: true,
	}
	err := s.db.Read(ctx, who, company.Seen(id), postgres.Found(s.db, &rows, func(db *gorm.DB) *gorm.DB {
		return page.Of(order)(merges(db, id)).Find(&[]Merge{})
	}))
	if err != nil {
		return nil, nil, fmt.Errorf("list the merges of company %s: %w", id, err)
	}
	rows, next := postgres.Cut(page, rows, func(m *Merge) postgres.Place { return postgres.At(m.MergedAt, m.ID) })
	return rows, next, nil
}

// Undo puts a merged company back with all that it had, and the surviving one as it was. What people have changed since
// stays, and is listed. Of a merge that is undone already nothing is changed. It refuses as Update of a company does;
// NotFound where the company has no such merge, Conflict where a later one of it is not undone, where one of the
// companies is being analyzed, and where somebody would see by it what they do not see now.
func (s *Service) Undo(ctx context.Context, user, id, merge uuid.UUID) (Done, error) {
	done := Done{Merge: Merge{ID: merge}}
	err := s.db.Write(ctx, user, func(tx *postgres.Tx) error {
		var current []company.Company
		err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Find(&current, "id = ?", id).Error
		if err != nil {
			return fmt.Errorf("lock company %s: %w", id, err)
		}
		view, err := company.Load(tx, id)
		if err != nil {
			return err
		}
		found, err := find(tx, id, merge)
		if err != nil {
			return err
		}
		if err := postgres.Require(tx, func() (company.View, error) { return view, nil }); err != nil {
			return err
		}
		if found.UndoneAt == nil {
			if err := undo(tx, current[0], found); err != nil {
				return err
			}
		}
		return done.load(tx, id)
	})
	return done, err
}

func undo(tx *postgres.Tx, c company.Company, m Merge) error {
	var later bool
	err := tx.Raw(`SELECT EXISTS (SELECT FROM company_merges WHERE company_id = ? AND undone_at IS NULL
		AND (merged_at, id) > (SELECT merged_at, id FROM company_merges WHERE id = ?))`, c.ID, m.ID).Scan(&later).Error
	if err != nil {
		return fmt.Errorf("look for later merges: %w", err)
	}
	if later {
		return fault.New(fault.Conflict, "merge_not_last", fault.Detail{
			Field: "merge_id", Message: "is not the last merge of the company: undo those after it first",
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
		return fmt.Errorf("put the members of company %s back: %w", c.ID, err)
	}
	var kept *string
	if err := tx.Raw("SELECT app_unmerge(?, ?::jsonb)::text", m.ID, string(encode(left))).Scan(&kept).Error; err != nil {
		return fmt.Errorf("undo merge %s: %w", m.ID, err)
	}
	if kept == nil {
		return visibilityDiffers("merge_id")
	}
	return activity.Record(tx, c.AccountID, activity.MergeUndone, "The merge of company "+m.MergedName+" into "+c.Name+
		" was undone", &c.ID)
}

// leave drops the steps whose members somebody has changed since, or whose value is no more, and returns them.
func (ch change) leave(tx *postgres.Tx, c company.Company) ([]Kept, error) {
	now := map[string]json.RawMessage{
		"name": encode(c.Name), "source": encode(c.Source), "notes": encode(c.Notes), "edited": encode(c.Edited),
		"source_content": encode(c.SourceContent), "deck_link": encode(c.DeckLink), "external_id": encode(c.ExternalID),
		memberStatus: encode(c.CompanyStatusID),
	}
	for name, value := range membersOf(c.Metadata) {
		now[ofMetadata+name] = value
	}
	left := []Kept{}
	for _, name := range slices.Sorted(maps.Keys(ch)) {
		reason := ""
		if !findings.SameJSON(orNull(now[name]), orNull(ch[name].To)) {
			reason = reasonChanged
		} else if name == memberStatus && !isEmpty(ch[name].From) {
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
