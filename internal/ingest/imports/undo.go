package imports

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// WorkUndo is the kind of work that undoes an import.
const WorkUndo = "ingest.undo"

// Reasons why the undo of an import keeps something that the import brought. The database has further ones, such as
// "has_files" for a company: see app_undo_verdicts in the migrations.
const (
	ReasonChanged = "changed"         // somebody changed it, or works on it
	ReasonHidden  = "hidden"          // the user who undoes the import does not see it
	ReasonPart    = "part_of_company" // it belongs to a company that is kept
)

// Undo is the state of the undo of an import: its status, and the numbers of things removed and kept so far.
type Undo struct {
	UndoStatus     *string // StatusRunning, StatusCompleted or StatusFailed; nil: no undo was requested
	UndoTotal      int64   // rows that the import added, and rows that were created from them since, such as companies
	UndoRemoved    int64   // of these; those that were deleted before count too
	UndoKept       int64   // of these; see Kept
	UndoError      *string
	UndoWorkID     *uuid.UUID
	UndoBy         *uuid.UUID
	UndoStartedAt  *time.Time
	UndoFinishedAt *time.Time
}

// Undoing reports whether the import is being undone.
func (u Undo) Undoing() bool { return u.UndoStatus != nil && *u.UndoStatus == StatusRunning }

// Undone reports whether the import has been undone: everything that it brought is removed, except the things in the
// list of Kept.
func (u Undo) Undone() bool { return u.UndoStatus != nil && *u.UndoStatus == StatusCompleted }

// Quiet reports whether the import is neither being written nor being undone, so that nothing of it changes.
func (i Import) Quiet() bool { return i.Over() && !i.Undoing() }

// Kept is something that an import brought and that its undo did not remove.
type Kept struct {
	Kind   string // one of the kinds of package journal
	Thing  uuid.UUID
	Reason string
	Name   *string // never nil from ListKept, which leaves out what the reader does not see
}

// BeginUndo begins to undo an import, and returns it. A worker then removes the things that the import brought, except
// those that people have changed since or that are in use (see Kept). If the import is undone, or being undone,
// BeginUndo does nothing; an undo that failed is continued. The error is NotFound or Forbidden as in Get; Forbidden if
// a plain member undoes an import of an account; and Conflict while the import is being written, and for an import that
// was made before imports recorded what they bring.
func (s *Service) BeginUndo(ctx context.Context, user, accountID, id uuid.UUID, requestID string) (Import, error) {
	var begun Import
	err := s.db.Write(ctx, user, account.ForMember(accountID, func(tx *postgres.Tx) error {
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Limit(1).Find(&begun, "account_id = ? AND id = ?",
			accountID, id).Error; err != nil {
			return fmt.Errorf("lock import %s: %w", id, err)
		}
		if begun.ID == uuid.Nil {
			return fault.NewNotFound()
		}
		if err := mayUndo(tx, begun); err != nil {
			return err
		}
		if begun.UndoStatus == nil || *begun.UndoStatus == StatusFailed {
			if err := s.orderUndo(tx, begun, requestID); err != nil {
				return err
			}
		}
		if err := load(tx, accountID, id, &begun); err != nil {
			return err
		}
		tx.Made(begun)
		return nil
	}))
	return begun, err
}

// mayUndo returns Forbidden if a plain member undoes an import of an account, Conflict for an import that has not
// ended, and else nil.
func mayUndo(tx *postgres.Tx, it Import) error {
	if it.Kind == KindAccount {
		if err := account.RequireAdmin(tx, it.AccountID); err != nil {
			return fmt.Errorf("undo an import: %w", err)
		}
	}
	if !it.Over() {
		return fault.New(fault.Conflict, "import_running", fault.Detail{Field: "import_id", Message: "is still " +
			it.Status + ": cancel it, or wait"})
	}
	return nil
}

func (s *Service) orderUndo(tx *postgres.Tx, it Import, requestID string) error {
	var noted int64
	if err := tx.Raw("SELECT count(*) FROM import_things WHERE import_id = ?", it.ID).Scan(&noted).Error; err != nil {
		return fmt.Errorf("count what import %s brought: %w", it.ID, err)
	}
	if noted < it.Created {
		return fault.New(fault.Conflict, "import_not_noted", fault.Detail{
			Field: "import_id", Message: "was made before imports noted what they brought",
		})
	}
	item := work.Item{
		ID: postgres.NewID(), Kind: WorkUndo, Queue: work.Bulk, AccountID: it.AccountID, SubjectID: &it.ID,
		MaxAttempts: work.UndoAttempts, RequestID: requestID,
	}
	if err := s.work.Add(tx, item); err != nil {
		return err
	}
	err := tx.Exec(`UPDATE imports SET undo_status = 'running', undo_total = ?, undo_error = NULL, undo_work_id = ?,
		undo_by = ?,
		undo_started_at = COALESCE(undo_started_at, now()), undo_finished_at = NULL, updated_at = now() WHERE id = ?`,
		noted, item.ID, tx.UserID(), it.ID).Error
	if err != nil {
		return fmt.Errorf("begin to undo import %s: %w", it.ID, err)
	}
	return nil
}

// ListKept returns up to most of the things that the undo of an import kept, ordered by kind and id. If after is not
// nil, it returns only things that follow it in this order. It leaves out things that the caller does not see. The
// result is not nil. The error is NotFound or Forbidden as in Get.
func (s *Service) ListKept(
	ctx context.Context, who *postgres.Identity, accountID, id uuid.UUID, after *Kept, most int,
) ([]Kept, error) {
	var seen []Import
	kept := []Kept{}
	kind, thing := "", uuid.Nil
	if after != nil {
		kind, thing = after.Kind, after.Thing
	}
	err := account.Read(ctx, s.db, who, accountID,
		postgres.Rows(&seen, func(i *Import) []any { return []any{&i.ID} },
			"SELECT id FROM imports WHERE account_id = $1 AND id = $2", accountID, id),
		postgres.Rows(&kept, func(k *Kept) []any { return []any{&k.Kind, &k.Thing, &k.Reason, &k.Name} }, keptQuery,
			accountID, id, kind, thing, most))
	if err != nil {
		return nil, fmt.Errorf("list what the undo of import %s kept: %w", id, err)
	}
	if len(seen) == 0 {
		return nil, fault.NewNotFound()
	}
	return kept, nil
}

const keptQuery = `SELECT k.kind, k.thing, k.reason, k.name FROM (
		SELECT i.kind, i.thing, i.reason, CASE i.kind
			WHEN 'company' THEN (SELECT c.name FROM companies c WHERE c.id = i.thing)
			WHEN 'email' THEN (SELECT COALESCE(e.subject, e.from_email) FROM emails e WHERE e.id = i.thing)
			WHEN 'form_submission' THEN (SELECT COALESCE(s.external_id, s.id::text) FROM form_submissions s WHERE s.id = i.thing)
			WHEN 'meeting_minutes' THEN (SELECT m.title FROM meeting_minutes m WHERE m.id = i.thing)
			WHEN 'file' THEN (SELECT f.title FROM company_files f WHERE f.id = i.thing)
			WHEN 'activity' THEN (SELECT a.description FROM activity a WHERE a.id = i.thing)
			WHEN 'field' THEN (SELECT f.name FROM field_settings f WHERE f.id = i.thing)
			WHEN 'company_merge' THEN (SELECT m.merged ->> 'name' FROM company_merges m WHERE m.id = i.thing)
			WHEN 'saved_view' THEN (SELECT v.name FROM saved_views v WHERE v.id = i.thing)
			ELSE (SELECT s.name FROM company_statuses s WHERE s.id = i.thing) END AS name
		FROM import_things i WHERE i.account_id = $1::uuid AND i.import_id = $2::uuid AND i.outcome = 'kept'
			AND (i.kind, i.thing) > ($3::text, $4::uuid)
		ORDER BY i.kind, i.thing) k
	WHERE k.name IS NOT NULL LIMIT $5`
