package imports

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"dealflow/internal/blob"
	"dealflow/internal/company/analyst"
	"dealflow/internal/email"
	"dealflow/internal/fault"
	"dealflow/internal/ingest"
	"dealflow/internal/ingest/creation"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// WriterDeps are what a writer is made of.
type WriterDeps struct {
	DB        *postgres.DB
	Blobs     *blob.Store
	Work      *work.Store
	Emails    *email.Service
	Companies *analyst.Creator
	Logger    *slog.Logger
	Observe   func(Rows) // called after each batch; nil: nobody counts
}

// Rows counts what became of the rows of a batch.
type Rows struct{ Written, Duplicates, Refused int64 }

// Writer is the worker's side of imports: it writes what was received.
type Writer struct {
	db        *postgres.DB
	blobs     *blob.Store
	work      *work.Store
	emails    *email.Service
	companies *analyst.Creator
	logger    *slog.Logger
	observe   func(Rows)
}

// NewWriter returns a writer.
func NewWriter(deps WriterDeps) *Writer {
	if deps.Observe == nil {
		deps.Observe = func(Rows) {}
	}
	return &Writer{
		observe: deps.Observe,
		db:      deps.DB, blobs: deps.Blobs, work: deps.Work, emails: deps.Emails, companies: deps.Companies, logger: deps.Logger,
	}
}

// batch is a stored batch, read.
type batch struct {
	number int
	rows   []row
	bad    []RowError
	double int64 // rows whose key is in the batch before
	err    error // it could not be read
}

// Write writes the batches of a claimed WorkImport in the order of the file, so that of rows with the same key the
// first wins: one batch is written while the next is read. It finishes the work when nothing is left, or gives true
// where enough said to stop before. ErrLost where the attempt was taken away; any other error is worth another
// attempt, which goes on where this one stopped.
func (w *Writer) Write(ctx context.Context, item work.Item, enough func() bool) (more bool, err error) {
	it, err := w.load(ctx, item)
	switch {
	case err != nil:
		return false, err
	case it.Over() || it.Written == it.Batches:
		return false, w.finish(ctx, item)
	}
	next := w.ahead(ctx, item.UserID, it, it.Written+1, it.Processed)
	sorted := make(chan struct{})
	close(sorted)
	defer func() { <-sorted }()
	for {
		b := <-next
		if b.err != nil {
			return false, b.err
		}
		if b.number < it.Batches {
			next = w.ahead(ctx, item.UserID, it, b.number+1, it.Processed+b.size())
		} else {
			next = nil
		}
		written, err := w.writeBatch(ctx, item, it, b)
		<-sorted
		sorted = w.sortWords(ctx, it)
		if err != nil || written.WorkID == nil {
			return false, w.ended(ctx, item, it, err)
		}
		it = written
		if enough() {
			return true, nil
		}
		if next == nil { // another batch has arrived meanwhile
			next = w.ahead(ctx, item.UserID, it, it.Written+1, it.Processed)
		}
	}
}

// sortWords sorts what a batch of emails added to the index of their words beside what else is done. Where it fails,
// the next one does it, or the server.
func (w *Writer) sortWords(ctx context.Context, it Import) chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if it.Kind != KindEmails {
			return
		}
		if err := w.emails.SortWords(ctx); err != nil {
			w.logger.WarnContext(ctx, "the words of imported emails could not be sorted into their index; searches are slower until they are",
				"import_id", it.ID, "error", err)
		}
	}()
	return done
}

// ended finishes the work of an import that somebody ended, and removes what will not be written.
func (w *Writer) ended(ctx context.Context, item work.Item, it Import, err error) error {
	if !errors.Is(err, errStopped) {
		return err
	}
	for number := it.Written + 1; number <= it.Batches; number++ {
		w.forget(ctx, it.ID, number)
	}
	return w.finish(ctx, item)
}

func (w *Writer) finish(ctx context.Context, item work.Item) error {
	return w.db.As(ctx, item.UserID, func(tx *postgres.Tx) error { return work.Finish(tx, item, nil) })
}

// load returns the import; one that is over where it is gone, or the user has lost sight of it.
func (w *Writer) load(ctx context.Context, item work.Item) (Import, error) {
	var it Import
	err := w.db.As(ctx, item.UserID, func(tx *postgres.Tx) error { return tx.First(&it, "id = ?", item.SubjectID).Error })
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Import{Status: StatusCancelled}, nil
	}
	if err != nil {
		return it, fmt.Errorf("load import %s: %w", item.SubjectID, err)
	}
	return it, nil
}

// size is how many rows was in the batch.
func (b batch) size() int64 { return int64(len(b.rows)) + int64(len(b.bad)) + b.double }

// ahead reads a batch beside what else is done. The number of the row before it is given.
func (w *Writer) ahead(ctx context.Context, user uuid.UUID, it Import, number int, before int64) <-chan batch {
	read := make(chan batch, 1)
	go func() {
		b, size, err := w.readBatch(ctx, user, it, number, before)
		giveBack(size)
		b.err = err
		read <- b
	}()
	return read
}

func (w *Writer) kind(it Import) rowKind {
	switch it.Kind {
	case KindForms:
		return formRows{}
	case KindCompanies:
		return companyRows{companies: w.companies}
	}
	return emailRows{emails: w.emails}
}

// readBatch reads a batch, and gives the bytes that it had too.
func (w *Writer) readBatch(ctx context.Context, user uuid.UUID, it Import, number int, before int64) (b batch, size int, err error) {
	b.number = number
	object, err := w.blobs.Open(ctx, batchKey(it.ID, number))
	if err != nil {
		return b, size, fmt.Errorf("open batch %d of import %s: %w", number, it.ID, err)
	}
	defer object.Close()
	encoded := bytes.NewBuffer(make([]byte, 0, object.Size+bytes.MinRead))
	if _, err := io.Copy(encoded, struct{ io.Reader }{object}); err != nil {
		return b, size, fmt.Errorf("read batch %d of import %s: %w", number, it.ID, err)
	}
	head, records, err := openBatch(encoded.Bytes())
	if err != nil {
		return b, size, fmt.Errorf("batch %d of import %s: %w", number, it.ID, err)
	}
	kind, seen := w.kind(it), map[string]bool{}
	for i, rec := range records {
		b.take(it, kind, seen, before+int64(i)+1, head, rec)
	}
	return b, len(encoded.Bytes()), kind.prepare(ctx, user, it, b.rows)
}

// take reads one row. Whatever is wrong with it is its own matter, a panic too.
func (b *batch) take(it Import, kind rowKind, seen map[string]bool, number int64, head *header, rec record) {
	if rec.problem != "" {
		b.refuse(it, number, rec.problem)
		return
	}
	item, key, err := safely(func() (any, string, error) { return kind.read(it.Format, head, rec.raw) })
	switch {
	case err != nil:
		b.refuse(it, number, ingest.Reason(err))
	case seen[key]:
		b.double++
	default:
		seen[key] = true
		b.rows = append(b.rows, row{number: number, key: key, item: item})
	}
}

func safely(read func() (any, string, error)) (item any, key string, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("the row cannot be read: %v", panicked)
		}
	}()
	return read()
}

func (b *batch) refuse(it Import, number int64, reason string) {
	b.bad = append(b.bad, RowError{ImportID: it.ID, Row: number, AccountID: it.AccountID, Reason: reason})
}

// writeBatch writes a batch and counts it in one transaction. Where the database refuses a value that nobody foresaw,
// it tries again row by row, so that only the bad ones are refused. errStopped where the import was ended.
func (w *Writer) writeBatch(ctx context.Context, item work.Item, it Import, b batch) (Import, error) {
	written, err := w.commit(ctx, item, it, b, false)
	for again := 0; again < 3 && isContention(err); again++ {
		written, err = w.commit(ctx, item, it, b, false)
	}
	if isRefusal(err) {
		w.logger.WarnContext(ctx, "the database refused a batch; its rows are tried in smaller parts", "import_id", it.ID, "batch", b.number, "error", err)
		written, err = w.commit(ctx, item, it, b, true)
	}
	if err == nil {
		w.forget(ctx, it.ID, b.number)
	}
	return written, err
}

// forget removes a batch from storage. What fails here, the sweep does.
func (w *Writer) forget(ctx context.Context, importID uuid.UUID, number int) {
	if err := w.blobs.Delete(context.WithoutCancel(ctx), batchKey(importID, number)); err != nil {
		w.logger.WarnContext(ctx, "a written batch could not be removed; the sweep will", "import_id", importID, "batch", number, "error", err)
	}
}

func (w *Writer) commit(ctx context.Context, item work.Item, it Import, b batch, inParts bool) (Import, error) {
	var after Import
	var out outcome
	err := w.db.Write(ctx, item.UserID, func(tx *postgres.Tx) error {
		out = outcome{it: it, bad: b.bad, duplicates: b.double}
		if err := w.writeRows(tx, &out, b.rows, inParts); err != nil {
			return err
		}
		if err := w.noteErrors(tx, out.bad); err != nil {
			return err
		}
		if err := w.addCreations(tx, it, item.RequestID, out.added); err != nil {
			return err
		}
		var err error
		if after, err = out.count(tx, b.number); err != nil {
			return err
		}
		if after.WorkID == nil {
			return work.Finish(tx, item, nil)
		}
		return work.Progress(tx, item)
	})
	if err == nil {
		w.observe(Rows{Written: int64(len(out.added)), Duplicates: out.duplicates, Refused: int64(len(out.bad))})
	}
	return after, err
}

// outcome is what became of the rows of a batch.
type outcome struct {
	it         Import
	added      []uuid.UUID
	bad        []RowError
	duplicates int64
}

// writeRows writes rows, in parts where the database refused them together.
func (w *Writer) writeRows(tx *postgres.Tx, out *outcome, rows []row, inParts bool) error {
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

func (w *Writer) writePart(tx *postgres.Tx, out *outcome, rows []row) error {
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

// writeParts halves what is refused until the bad rows are alone.
func (w *Writer) writeParts(tx *postgres.Tx, out *outcome, rows []row) error {
	const here = "rows"
	if err := tx.SavePoint(here).Error; err != nil {
		return err
	}
	err := w.writePart(tx, out, rows)
	if !isRefusal(err) {
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

func (o *outcome) refuse(number int64, reason string) {
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

// addCreations adds the making of companies of what is new, where the import wants that.
func (w *Writer) addCreations(tx *postgres.Tx, it Import, requestID string, added []uuid.UUID) error {
	if !it.CreateCompanies || it.Kind == KindCompanies {
		return nil
	}
	kind := creation.OfEmail
	if it.Kind == KindForms {
		kind = creation.OfForm
	}
	items := make([]work.Item, len(added))
	for i, id := range added {
		var err error
		if items[i], err = creation.Item(it.AccountID, kind, id, requestID); err != nil {
			return err
		}
		items[i].Rank = creationRank
	}
	return w.work.Add(tx, items...)
}

// creationRank lets an account's imports go before the companies that are made of them.
const creationRank = 1

// count moves the import on by a batch, in the transaction that wrote it. Its end, when this was the last batch, is
// in it too. errStopped where the import has ended, or the batch is written already.
func (o *outcome) count(tx *postgres.Tx, number int) (Import, error) {
	created, failed := int64(len(o.added)), int64(len(o.bad))
	var stands []Import
	err := tx.Raw(`UPDATE imports SET written = ?, processed = processed + ?, created = created + ?, duplicates = duplicates + ?, failed = failed + ?, updated_at = now(),
		work_id = CASE WHEN batches > ? THEN work_id END,
		status = CASE WHEN batches > ? OR status = 'receiving' THEN status WHEN error IS NULL THEN 'completed' ELSE 'failed' END,
		finished_at = CASE WHEN batches = ? AND status = 'running' THEN now() END
		WHERE id = ? AND written = ? AND status IN ('receiving', 'running') RETURNING *`,
		number, created+o.duplicates+failed, created, o.duplicates, failed, number, number, number, o.it.ID, number-1).Scan(&stands).Error
	if err != nil {
		return Import{}, fmt.Errorf("count a batch: %w", err)
	}
	if len(stands) == 0 {
		return Import{}, errStopped
	}
	return stands[0], nil
}

// isContention tells a transaction that lost against another and may win when it is repeated.
func isContention(err error) bool {
	refused, found := errors.AsType[*pgconn.PgError](err)
	return found && (refused.Code == "40001" || refused.Code == "40P01")
}

// isRefusal distinguishes values that the database does not take from any other trouble: data exceptions,
// constraints, limits of the program.
func isRefusal(err error) bool {
	refused, found := errors.AsType[*pgconn.PgError](err)
	if !found {
		return errors.Is(err, gorm.ErrCheckConstraintViolated) || errors.Is(err, gorm.ErrForeignKeyViolated)
	}
	return refused.Code[:2] == "22" || refused.Code[:2] == "23" || refused.Code[:2] == "54"
}

// refusalOf says for a person why the database did not take a row. Its own words may hold parts of other rows, so
// they stay in the log.
func refusalOf(err error) string {
	if f, found := errors.AsType[*fault.Error](err); found {
		return ingest.Reason(f)
	}
	refused, found := errors.AsType[*pgconn.PgError](err)
	switch {
	case found && refused.Code == "22P05":
		return `the row's metadata or data holds a NUL character (\u0000), which cannot be stored`
	case found:
		return fmt.Sprintf("the row holds something that cannot be stored (%s)", strings.TrimSpace(refused.Code+" "+refused.ConstraintName))
	}
	return "the row holds something that cannot be stored"
}
