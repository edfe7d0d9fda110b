package imports

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"dealflow/internal/fault"
	"dealflow/internal/ingest"
	"dealflow/internal/ingest/creation"
	"dealflow/internal/ingest/journal"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// batchResult collects the results of writing the rows of a batch.
type batchResult struct {
	it         Import
	added      []journal.Thing
	bad        []RowError
	duplicates int64
}

// writeRows writes rows, all at once or, if inParts is true, by writeParts, and adds the results to out. Rows that
// their kind refuses are added to out with the reason, and not written.
func (w *Writer) writeRows(tx *postgres.Tx, out *batchResult, rows []row, inParts bool) error {
	kind := w.kind(out.it)
	refused, err := kind.refuse(tx, out.it, rows)
	if err != nil {
		return err
	}
	var good []row
	for _, r := range rows {
		if reason, bad := refused[r.number]; bad {
			out.refuse(r.number, ingest.Reason(reason))
		} else {
			good = append(good, r)
		}
	}
	if inParts {
		return w.writeParts(tx, out, good)
	}
	return w.writePart(tx, out, good)
}

func (w *Writer) writePart(tx *postgres.Tx, out *batchResult, rows []row) error {
	if len(rows) == 0 {
		return nil
	}
	added, err := w.kind(out.it).write(tx, out.it, rows)
	if err != nil {
		return err
	}
	out.added, out.duplicates = append(out.added, added...), out.duplicates+int64(len(rows)-len(added))
	return nil
}

// writeParts writes rows and adds the results to out. If the database refuses them, it rolls them back, and writes each
// half of them in the same way, until only the bad rows are refused; it adds these to out with the reasons. After any
// other error, which it returns, the caller must roll back the transaction.
func (w *Writer) writeParts(tx *postgres.Tx, out *batchResult, rows []row) error {
	const here = "rows"
	if err := tx.SavePoint(here).Error; err != nil {
		return err
	}
	err := w.writePart(tx, out, rows)
	if !postgres.IsRefused(err) {
		return err
	}
	if back := tx.RollbackTo(here).Error; back != nil {
		return back
	}
	if len(rows) == 1 {
		out.refuse(rows[0].number, refusalOf(err))
		return nil
	}
	half := len(rows) / 2
	if err := w.writeParts(tx, out, rows[:half]); err != nil {
		return err
	}
	return w.writeParts(tx, out, rows[half:])
}

func (o *batchResult) refuse(number int64, reason string) {
	o.bad = append(o.bad, RowError{ImportID: o.it.ID, Row: number, AccountID: o.it.AccountID, Reason: reason})
}

func (w *Writer) noteErrors(tx *postgres.Tx, bad []RowError) error {
	if len(bad) == 0 {
		return nil
	}
	if err := tx.CreateInBatches(bad, batchRows).Error; err != nil {
		return fmt.Errorf("note the errors of rows: %w", err)
	}
	return nil
}

// addCreations adds the work that finds or creates the companies of new emails or submissions. It does nothing unless
// the import creates companies.
func (w *Writer) addCreations(tx *postgres.Tx, it Import, requestID string, added []journal.Thing) error {
	if !it.CreateCompanies || it.Kind == KindCompanies || it.Kind == KindAccount {
		return nil
	}
	kind := creation.OfEmail
	if it.Kind == KindForms {
		kind = creation.OfForm
	}
	items := make([]work.Item, len(added))
	for i, thing := range added {
		var err error
		if items[i], err = creation.Item(it.AccountID, kind, thing.ID, requestID); err != nil {
			return err
		}
		items[i].Rank = creationRank
	}
	return w.work.Add(tx, items...)
}

// creationRank is the rank of the work that creates companies from imported emails and submissions. It is higher than
// that of imports, which is 0, so that the imports of the account run first.
const creationRank = 1

// count adds the counts of a written batch to the import, in the transaction that writes the batch, and returns the
// import. If no later batch has arrived, WorkID of the import is nil from then on, and the import ends if its whole
// file has arrived. The error is errStopped if the import has ended, and work.ErrLost if another worker has written the
// batch.
func (o *batchResult) count(tx *postgres.Tx, number int) (Import, error) {
	created, failed := int64(len(o.added)), int64(len(o.bad))
	var found []Import
	err := tx.Raw(`UPDATE imports SET written = ?, processed = processed + ?, created = created + ?, duplicates =
		duplicates + ?, failed = failed + ?, updated_at = now(),
		work_id = CASE WHEN batches > ? THEN work_id END,
		status = CASE WHEN batches > ? OR status = 'receiving' THEN status WHEN error IS NULL THEN 'completed' ELSE
			'failed' END,
		finished_at = CASE WHEN batches = ? AND status = 'running' THEN now() END
		WHERE id = ? AND written = ? AND status IN ('receiving', 'running') RETURNING *`,
		number, created+o.duplicates+failed, created, o.duplicates, failed, number, number, number, o.it.ID,
		number-1).Scan(&found).Error
	if err != nil {
		return Import{}, fmt.Errorf("count a batch: %w", err)
	}
	if len(found) == 0 {
		return Import{}, o.notCounted(tx)
	}
	return found[0], nil
}

// notCounted returns why count could not count a batch: errStopped if the import has ended, else work.ErrLost.
func (o *batchResult) notCounted(tx *postgres.Tx) error {
	var now Import
	if err := load(tx, o.it.AccountID, o.it.ID, &now); err != nil {
		return err
	}
	if now.Over() {
		return errStopped
	}
	return work.ErrLost
}

// refusalOf returns a text for people that says why the database refused a row. It does not contain the database's own
// message, which may contain parts of other rows.
func refusalOf(err error) string {
	if f, found := errors.AsType[*fault.Error](err); found {
		return ingest.Reason(f)
	}
	refused, found := errors.AsType[*pgconn.PgError](err)
	switch {
	case found && refused.Code == "22P05":
		return `the row's metadata or data holds a NUL character (\u0000), which cannot be stored`
	case found:
		return fmt.Sprintf("the row holds something that cannot be stored (%s)",
			strings.TrimSpace(refused.Code+" "+refused.ConstraintName))
	}
	return "the row holds something that cannot be stored"
}
