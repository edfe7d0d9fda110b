// Package merge merges a company into another that is the same deal, and undoes that.
package merge

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"dealflow/internal/activity"
	"dealflow/internal/company"
	"dealflow/internal/company/match"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// fieldInto is the name in a request of the company to merge into.
const fieldInto = "into_company_id"

// Service merges companies and undoes merges. It is safe for concurrent use.
type Service struct{ db *postgres.DB }

// New returns a service on a database.
func New(db *postgres.DB) *Service { return &Service{db: db} }

// Request is a request to merge a company into another.
type Request struct {
	IntoID uuid.UUID
	Keep   map[string]string // Into, Merged or Both, by field; compare decides about fields that are not named
	DryRun bool              // returns what the merge would do, and does not commit it
}

// Preview is what a merge changes.
type Preview struct {
	Into, Merged company.View // before the merge
	Conflicts    []Conflict
	Moves        Moves
}

// Moves counts what belongs to the merged company and moves to the one that remains: files, meeting minutes, form
// submissions, emails, and places in shared links.
type Moves struct{ Files, Minutes, Submissions, Emails, Links int }

// Done is a merge or an undo that was done; of a dry run, what would have been done.
type Done struct {
	Merge   Merge
	Company company.View // of a merge the one that remains, of an undo the one that the request named
	Preview Preview      // of a merge only
}

// Preview returns what Merge would change, without doing it. It does not use wanted.DryRun. It returns the same errors
// as Merge, but does not check the size of the metadata, and does not call the check that postgres.Requiring set in
// ctx.
func (s *Service) Preview(ctx context.Context, user, id uuid.UUID, wanted Request) (Preview, error) {
	var found Preview
	err := s.db.As(ctx, user, func(tx *postgres.Tx) error {
		p, err := prepare(tx, id, wanted, false)
		found = p.Preview
		return err
	})
	return found, err
}

// Merge moves all that belongs to company id to the company wanted.IntoID, sets the fields of that company as
// wanted.Keep says, deletes company id, and records that in the activity, in one transaction. A dry run is rolled back.
//
// If the user does not see company id, the error is NotFound, or Forbidden if they are not a member of its account. It
// is InvalidBody if IntoID is not another company of the account that the user sees, if Keep names an unknown field or
// an impossible choice, or if the metadata would be too large. It is Conflict if one of the companies was merged
// already or is being analyzed, or if different people see them. The error of a check that postgres.Requiring set in
// ctx is returned, too; the check gets the company that is merged.
func (s *Service) Merge(ctx context.Context, user, id uuid.UUID, wanted Request) (Done, error) {
	var done Done
	err := s.db.Write(ctx, user, func(tx *postgres.Tx) error {
		if err := match.Hold(tx, id, wanted.IntoID); err != nil {
			return err
		}
		p, err := prepare(tx, id, wanted, true)
		if err != nil {
			return err
		}
		if err := postgres.Require(tx, func() (company.View, error) { return p.Merged, nil }); err != nil {
			return err
		}
		done.Preview, done.Merge.ID = p.Preview, uuid.New()
		if err := tx.Exec("SAVEPOINT merge").Error; err != nil {
			return fmt.Errorf("begin to merge: %w", err)
		}
		if err := p.write(tx, done.Merge.ID); err != nil {
			return fmt.Errorf("merge company %s into %s: %w", id, wanted.IntoID, err)
		}
		if err := done.load(tx, wanted.IntoID); err != nil || !wanted.DryRun {
			return err
		}
		return tx.Exec("ROLLBACK TO SAVEPOINT merge").Error // the result was read
	})
	return done, err
}

// load reads the company and the merge as the transaction leaves them, and passes them to tx.Made.
func (d *Done) load(tx *postgres.Tx, id uuid.UUID) error {
	var err error
	if d.Company, err = company.Load(tx, id); err != nil {
		return err
	}
	if d.Merge, err = find(tx, "m.id = ?", d.Merge.ID); err != nil {
		return err
	}
	tx.Made(*d)
	return nil
}

// prepared is a merge that was checked and may be done.
type prepared struct {
	Preview

	into, merged company.Company
}

// prepare reads both companies, returns an error if they may not be merged, decides about each field, and counts what
// moves. If lock is true, it locks the companies in the order of their ids, so that two merges of the same companies in
// opposite directions do not deadlock.
func prepare(tx *postgres.Tx, id uuid.UUID, wanted Request, lock bool) (p prepared, err error) {
	query := tx.Order("id")
	if lock {
		query = query.Clauses(clause.Locking{Strength: "UPDATE"})
	}
	var found []company.Company
	if err := query.Find(&found, "id IN ?", []uuid.UUID{id, wanted.IntoID}).Error; err != nil {
		return p, fmt.Errorf("read the companies: %w", err)
	}
	for _, c := range found {
		if c.ID == id {
			p.merged = c
		} else {
			p.into = c
		}
	}
	if err := p.load(tx, id, wanted.IntoID); err != nil {
		return p, err
	}
	if err := p.allowed(tx); err != nil {
		return p, err
	}
	if p.Conflicts, err = compare(p.Into, p.Merged, wanted.Keep); err != nil {
		return p, err
	}
	return p, tx.Run(postgres.Rows(&[]Moves{}, func(*Moves) []any {
		return []any{&p.Moves.Files, &p.Moves.Minutes, &p.Moves.Submissions, &p.Moves.Emails, &p.Moves.Links}
	}, `SELECT (SELECT count(*) FROM company_files WHERE company_id = $1),
		(SELECT count(*) FROM meeting_minutes WHERE company_id = $1),
		(SELECT count(*) FROM form_submissions WHERE company_id = $1),
		(SELECT count(*) FROM email_companies WHERE company_id = $1),
		(SELECT count(*) FROM shared_link_companies WHERE company_id = $1)`, id))
}

// load reads both companies as views. If the user does not see company id, the error is that of company.Service.Get,
// but Conflict if the company was merged into another. Of company into, the error is InvalidBody if it is company id
// itself, if the user does not see it, or if it is of another account; Conflict if it was merged into another.
func (p *prepared) load(tx *postgres.Tx, id, into uuid.UUID) (err error) {
	if p.Merged, err = company.Load(tx, id); err != nil {
		return meanwhile(err, "id")
	}
	if id == into {
		return fault.Field(fieldInto, "is the company itself")
	}
	p.Into, err = company.Load(tx, into)
	switch {
	case fault.Is(err, fault.NotFound), fault.Is(err, fault.Forbidden),
		err == nil && p.Into.AccountID != p.Merged.AccountID:
		return fault.Field(fieldInto, fmt.Sprintf("%s is no company of this account", into))
	case err != nil:
		return meanwhile(err, fieldInto)
	}
	return nil
}

// meanwhile returns err, or, if it says that a company was merged into another one, Conflict for the field that names
// the company.
func meanwhile(err error, field string) error {
	into := fault.SuccessorOf(err)
	if into == "" {
		return err
	}
	refusal := fault.New(fault.Conflict, "company_merged", fault.Detail{
		Field: field, Message: "was merged into " + into + " already",
	})
	refusal.Successor = into
	return refusal
}

// allowed returns Conflict if the companies differ in their visibility or in who sees them, or if an analysis of one of
// them waits or runs.
func (p *prepared) allowed(tx *postgres.Tx) error {
	var same bool
	viewers := "(SELECT array_agg(v ORDER BY v) FROM unnest(app_company_viewers(%[1]s.id, %[1]s.visibility, " +
		"%[1]s.created_by)) AS v)"
	err := tx.Run(postgres.Value(&same, "SELECT a.visibility = b.visibility AND "+fmt.Sprintf(viewers, "a")+" = "+
		fmt.Sprintf(viewers, "b")+" FROM companies a, companies b WHERE a.id = $1 AND b.id = $2", p.Into.ID, p.Merged.ID))
	if err != nil {
		return fmt.Errorf("compare who sees the companies: %w", err)
	}
	if !same {
		return visibilityDiffers(fieldInto)
	}
	return atRest(tx, p.Into.ID, p.Merged.ID)
}

func visibilityDiffers(field string) error {
	return fault.New(fault.Conflict, "visibility_differs", fault.Detail{
		Field: field,
		Message: "is not seen by the same people: set the same visibility, and share both with the same people, " +
			"first",
	})
}

// atRest returns Conflict if an analysis of one of the companies waits or runs. Such an analysis may have read which
// files the companies have, and will write to them.
func atRest(tx *postgres.Tx, ids ...uuid.UUID) error {
	var busy bool
	if err := tx.Run(postgres.Value(&busy, "SELECT app_is_analyzed($1::uuid[])", postgres.IDs(ids))); err != nil {
		return fmt.Errorf("look for running analyses: %w", err)
	}
	if busy {
		return fault.New(fault.Conflict, "analysis_running", fault.Detail{
			Field: "company", Message: "is being analyzed: wait until that is done",
		})
	}
	return nil
}

// write changes the fields of the company that remains, moves to it what belongs to the merged company, deletes the
// merged company, and records the merge in the activity. The error is NotFound if the user may not change the company
// that remains, and InvalidBody if its metadata would be too large.
func (p *prepared) write(tx *postgres.Tx, merge uuid.UUID) error {
	change := changeOf(p.into, p.merged, p.Conflicts)
	changed, err := json.Marshal(change)
	if err != nil {
		return fmt.Errorf("encode what changes: %w", err)
	}
	if err := change.write(tx, p.into, false); err != nil {
		return err
	}
	if err := tx.Exec("SELECT app_merge(?, ?, ?, ?::jsonb, ?)", merge, p.into.ID, p.merged.ID, string(changed),
		takesDeck(p.Conflicts)).Error; err != nil {
		return fmt.Errorf("move what hangs on it: %w", err)
	}
	if err := tx.Exec("DELETE FROM companies WHERE id = ?", p.merged.ID).Error; err != nil {
		return fmt.Errorf("delete it: %w", err)
	}
	if external := p.merged.ExternalID; p.into.ExternalID == nil && external != nil {
		if err := tx.Exec("UPDATE companies SET external_id = ? WHERE id = ?", *external, p.into.ID).Error; err != nil {
			return fmt.Errorf("take over its external id: %w", err)
		}
	}
	return activity.Record(tx, p.into.AccountID, activity.CompanyMerged,
		"Company "+p.merged.Name+" was merged into "+p.into.Name, &p.into.ID)
}
