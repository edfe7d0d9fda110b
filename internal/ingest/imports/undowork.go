package imports

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/ingest/journal"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// undoneAtOnce is how many things one transaction removes at most. It locks their rows until it ends.
const undoneAtOnce = 500

// undoOrder returns the kinds of things in the order in which they are removed: a part before the thing to which it
// belongs, and emails and submissions before companies, so that no company is created from them after that.
func undoOrder() []string {
	return []string{
		journal.Email, journal.Submission, journal.Minutes, journal.Company, journal.Merge, journal.File, journal.Activity,
		journal.Field, journal.View, journal.Status,
	}
}

// tableOf returns the table of the things of a kind; "" for merges, which functions of the database remove.
func tableOf(kind string) string {
	return map[string]string{
		journal.Email: "emails", journal.Submission: "form_submissions", journal.Minutes: "meeting_minutes",
		journal.Company: "companies",
		journal.File:    "company_files", journal.Activity: "activity", journal.Field: "field_settings",
		journal.Status: "company_statuses", journal.View: "saved_views",
	}[kind]
}

// Undo performs a claimed work item of the kind WorkUndo: it removes the things that the import brought, except those
// that must be kept (see undoing.run). It works in batches, each in a transaction with the counters of the undo. When
// nothing is left, or if the import is not being undone by this item, it marks the item as done and returns false. It
// calls enough after each full batch; if that returns true, Undo returns true, and the caller must queue the rest. The
// error is work.ErrLost if another worker has taken over the attempt; after any other error, another attempt continues
// from there.
func (w *Writer) Undo(ctx context.Context, item work.Item, enough func() bool) (more bool, err error) {
	it, err := w.load(ctx, item)
	if err != nil {
		return false, err
	}
	if !it.Undoing() || it.UndoWorkID == nil || *it.UndoWorkID != item.ID {
		return false, w.finish(ctx, item)
	}
	for _, kind := range undoOrder() {
		for after := uuid.Nil; ; {
			taken, last, err := w.undoBatch(ctx, item, it, kind, after)
			if err != nil {
				return false, err
			}
			if taken < undoneAtOnce {
				break
			}
			if after = last; enough() {
				return true, nil
			}
		}
	}
	return false, w.endUndo(ctx, item, it)
}

// undoBatch removes up to undoneAtOnce things of one kind whose ids are greater than after, or records why they are
// kept. It returns how many it handled, and the last id if there are any. If the transaction failed because of another
// transaction, it tries again, at most three times. The error is work.ErrLost if another worker has taken the attempt
// over.
func (w *Writer) undoBatch(ctx context.Context, item work.Item, it Import, kind string, after uuid.UUID) (taken int,
	last uuid.UUID, err error,
) {
	for range 4 {
		err = w.db.Write(ctx, item.UserID, func(tx *postgres.Tx) error {
			things, err := tx.Returning(`SELECT thing FROM import_things WHERE import_id = $1::uuid AND kind = $2
				AND thing > $3::uuid
				AND outcome IS NULL ORDER BY thing LIMIT $4`, it.ID, kind, after, undoneAtOnce)
			if err != nil || len(things) == 0 {
				taken = 0
				return err
			}
			taken, last = len(things), things[len(things)-1]
			b := undoing{tx: tx, it: it, kind: kind, things: postgres.IDs(things)}
			if err := b.run(w); err != nil {
				return fmt.Errorf("undo things of kind %s: %w", kind, err)
			}
			return work.Progress(tx, item)
		})
		if !postgres.IsContention(err) {
			break
		}
	}
	return taken, last, err
}

func (w *Writer) endUndo(ctx context.Context, item work.Item, it Import) error {
	return w.db.Write(ctx, item.UserID, func(tx *postgres.Tx) error {
		err := tx.Exec(`UPDATE imports SET undo_status = 'completed', undo_finished_at = now(), undo_work_id = NULL,
			updated_at = now()
			WHERE id = ? AND undo_work_id = ?`, it.ID, item.ID).Error
		if err != nil {
			return fmt.Errorf("end the undo of import %s: %w", it.ID, err)
		}
		return work.Finish(tx, item, nil)
	})
}

// undoing is a batch of things of one kind that must be removed, with the transaction for that.
type undoing struct {
	tx     *postgres.Tx
	it     Import
	kind   string
	things []string
}

// verdict says whether a thing may be removed: reason is nil if so, isGone if it does not exist any more, else why it
// must be kept.
type verdict struct {
	thing  uuid.UUID
	reason *string
}

const isGone = "gone"

// run locks the things, asks the database whether each may be removed, and removes it or records why it is kept.
// Because of the lock, run either sees a change by somebody else, or that change finds the thing removed. Activity and
// merges are not locked: only functions of the database write them.
func (b undoing) run(w *Writer) error {
	if b.kind != journal.Activity && b.kind != journal.Merge { // only functions of the database write these
		lock := "SELECT id FROM " + tableOf(b.kind) +
			" WHERE account_id = $1::uuid AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE"
		if _, err := b.tx.Returning(lock, b.it.AccountID, b.things); err != nil {
			return err
		}
	}
	var verdicts []verdict
	err := b.tx.Run(postgres.Rows(&verdicts, func(v *verdict) []any { return []any{&v.thing, &v.reason} },
		"SELECT thing, verdict FROM app_undo_verdicts($1::uuid, $2, $3::uuid[])", b.it.ID, b.kind, b.things))
	if err != nil {
		return err
	}
	var removable []uuid.UUID
	for _, v := range verdicts {
		if v.reason == nil {
			removable = append(removable, v.thing)
		}
	}
	removed, err := b.remove(w, removable)
	if err != nil {
		return err
	}
	return b.note(verdicts, removed)
}

// remove deletes those of removable that the user sees, and returns their ids.
func (b undoing) remove(w *Writer, removable []uuid.UUID) ([]uuid.UUID, error) {
	ids := postgres.IDs(removable)
	switch {
	case len(ids) == 0:
		return nil, nil
	case b.kind == journal.Company:
		return w.companies.Companies().RemoveAll(b.tx, b.it.AccountID, removable)
	case b.kind == journal.Merge:
		return b.tx.Returning("SELECT app_undo_merges($1::uuid, $2::uuid[])", b.it.ID, ids)
	case b.kind == journal.Activity:
		return b.tx.Returning("SELECT app_undo_activity($1::uuid, $2::uuid[])", b.it.ID, ids)
	}
	return b.tx.Returning("DELETE FROM "+tableOf(b.kind)+" WHERE account_id = $1::uuid AND id = ANY ($2::uuid[]) "+
		"RETURNING id", b.it.AccountID, ids)
}

// note records for each thing of the batch whether it was removed, kept or gone already, and adds the numbers to the
// counters of the import, where gone counts as removed. The error is work.ErrLost if the undo is no longer running.
func (b undoing) note(verdicts []verdict, removed []uuid.UUID) error {
	there := make(map[uuid.UUID]bool, len(removed))
	for _, id := range removed {
		there[id] = true
	}
	var things, outcomes []string
	var reasons []*string
	kept := 0
	for _, v := range verdicts {
		outcome, reason := "kept", v.reason
		switch {
		case there[v.thing]:
			outcome = "removed"
		case reason == nil:
			reason = new(ReasonHidden)
		case *reason == isGone:
			outcome, reason = isGone, nil
		}
		if outcome == "kept" {
			kept++
		}
		things, outcomes, reasons = append(things, v.thing.String()), append(outcomes, outcome), append(reasons, reason)
	}
	if err := b.tx.Run(postgres.Do(`UPDATE import_things i SET outcome = t.outcome, reason = t.reason
		FROM unnest($3::uuid[], $4::text[], $5::text[]) AS t (thing, outcome, reason)
		WHERE i.import_id = $1::uuid AND i.kind = $2 AND i.thing = t.thing`, b.it.ID, b.kind, things, outcomes,
		reasons)); err != nil {
		return err
	}
	counted := b.tx.Exec(`UPDATE imports SET undo_removed = undo_removed + ?, undo_kept = undo_kept + ?, updated_at = now()
		WHERE id = ? AND undo_status = 'running'`, len(verdicts)-kept, kept, b.it.ID)
	if counted.Error == nil && counted.RowsAffected == 0 {
		return work.ErrLost
	}
	return counted.Error
}
