package imports

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/blob"
	"dealflow/internal/company/analyst"
	"dealflow/internal/email"
	"dealflow/internal/ingest"
	"dealflow/internal/ingest/journal"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// WriterDeps are the dependencies of a Writer. All but Observe are required.
type WriterDeps struct {
	DB        *postgres.DB
	Blobs     *blob.Store
	Work      *work.Store
	Emails    *email.Service
	Companies *analyst.Creator
	Logger    *slog.Logger
	// called after each batch with the numbers of its rows by result; may be nil
	Observe func(written, duplicates, refused int64)
}

// Writer is the part of imports that workers run: it writes stored batches to the tables, and undoes imports. It is
// safe for concurrent use.
type Writer struct {
	db        *postgres.DB
	blobs     *blob.Store
	work      *work.Store
	emails    *email.Service
	companies *analyst.Creator
	logger    *slog.Logger
	observe   func(written, duplicates, refused int64)
}

// NewWriter returns a Writer.
func NewWriter(deps WriterDeps) *Writer {
	if deps.Observe == nil {
		deps.Observe = func(_, _, _ int64) {}
	}
	return &Writer{
		observe: deps.Observe,
		db:      deps.DB, blobs: deps.Blobs, work: deps.Work, emails: deps.Emails, companies: deps.Companies,
		logger: deps.Logger,
	}
}

// parsedBatch is a stored batch whose rows were parsed.
type parsedBatch struct {
	number int
	rows   []row
	bad    []RowError
	double int64 // rows with the key of an earlier row of the batch
	err    error // why the batch could not be read
}

// batchesUnsorted is the number of batches of emails after which the new words are merged into the search index.
// Merging more batches at once is cheaper, since a word of several emails is merged once; but words that wait for it
// make searches slower.
const batchesUnsorted = 4

// Write performs a claimed work item of the kind WorkImport: it writes the batches of the import in the order of the
// file, so that the first of several rows with the same key is stored. It reads the next batch while it writes one.
// When nothing is left, it marks the item as done and returns false. It calls enough after each batch; if that returns
// true, Write returns true, and the caller must queue the rest. The error is work.ErrLost if another worker has taken
// the attempt over; after any other error, another attempt continues from there.
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
		if b.number%batchesUnsorted == 0 || err != nil || written.WorkID == nil {
			<-sorted
			sorted = w.sortWords(ctx, it)
		}
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

// sortWords merges the words of new emails into the search index in the background, and closes the channel when that is
// done; for an import of another kind it does nothing else. If merging fails, which is only logged, a later call merges
// them, or Postgres itself.
func (w *Writer) sortWords(ctx context.Context, it Import) chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if it.Kind != KindEmails {
			return
		}
		if err := w.emails.SortWords(ctx); err != nil {
			w.logger.WarnContext(ctx,
				"the words of imported emails could not be sorted into their index; searches are slower until they are",
				"import_id", it.ID, "error", err)
		}
	}()
	return done
}

// ended finishes the work and removes the batches that will not be written if err is errStopped, that is, if the import
// was ended by something else. It returns any other err unchanged.
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

// load returns the import of the item. If it was deleted, or the item's user does not see it any more, load returns an
// import without fields but with the status StatusCancelled.
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

// size returns how many rows the batch has, bad ones and duplicates included.
func (b parsedBatch) size() int64 { return int64(len(b.rows)) + int64(len(b.bad)) + b.double }

// ahead begins, as the user, to read the batch with this number in the background, and returns a channel that receives
// it. before is how many rows the import has before this batch.
func (w *Writer) ahead(ctx context.Context, user uuid.UUID, it Import, number int, before int64) <-chan parsedBatch {
	read := make(chan parsedBatch, 1)
	go func() {
		b, size, err := w.readBatch(ctx, user, it, number, before)
		releaseMemory(size)
		b.err = err
		read <- b
	}()
	return read
}

func (w *Writer) kind(it Import) rowKind {
	switch it.Kind {
	case KindForms:
		return formRows{}
	case KindAccount:
		return accountRows{}
	case KindCompanies:
		return companyRows{companies: w.companies}
	}
	return emailRows{emails: w.emails}
}

// readBatch reads and parses a batch, and prepares its rows as the user. before is as in ahead. readBatch also returns
// the size of the stored batch in bytes. Bad rows are in the batch and are not an error.
func (w *Writer) readBatch(
	ctx context.Context, user uuid.UUID, it Import, number int, before int64,
) (b parsedBatch, size int, err error) {
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
		b.addRow(it, kind, seen, before+int64(i)+1, head, rec)
	}
	return b, len(encoded.Bytes()), kind.prepare(ctx, user, it, b.rows)
}

// addRow parses one row, adds it to the batch, and adds its key to seen. number is the row's number in the import,
// from 1. A row whose key is in seen is only counted as a duplicate. A row that cannot be parsed, or makes the parser
// panic, is recorded as bad.
func (b *parsedBatch) addRow(it Import, kind rowKind, seen map[string]bool, number int64, head *header, rec record) {
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

func (b *parsedBatch) refuse(it Import, number int64, reason string) {
	b.bad = append(b.bad, RowError{ImportID: it.ID, Row: number, AccountID: it.AccountID, Reason: reason})
}

// writeBatch writes a batch and counts it, in one transaction, and then removes it from storage. It returns the import
// with the new counts. If the transaction failed because of another transaction, it tries again, at most three times.
// If the database refuses a value that no check found, it writes the rows in smaller parts, so that only the bad rows
// are refused. The error is errStopped if the import was ended by something else, and work.ErrLost if another worker
// has taken the attempt over.
func (w *Writer) writeBatch(ctx context.Context, item work.Item, it Import, b parsedBatch) (Import, error) {
	written, err := w.commit(ctx, item, it, b, false)
	for again := 0; again < 3 && postgres.IsContention(err); again++ {
		written, err = w.commit(ctx, item, it, b, false)
	}
	if postgres.IsRefused(err) {
		w.logger.WarnContext(ctx, "the database refused a batch; its rows are tried in smaller parts", "import_id", it.ID,
			"batch", b.number, "error", err)
		written, err = w.commit(ctx, item, it, b, true)
	}
	if err == nil {
		w.forget(ctx, it.ID, b.number)
	}
	return written, err
}

// forget removes a batch from storage. If that fails, which is only logged, SweepBatches does it later.
func (w *Writer) forget(ctx context.Context, importID uuid.UUID, number int) {
	if err := w.blobs.Delete(context.WithoutCancel(ctx), batchKey(importID, number)); err != nil {
		w.logger.WarnContext(ctx, "a written batch could not be removed; the sweep will remove it", "import_id", importID,
			"batch",
			number, "error", err)
	}
}

func (w *Writer) commit(ctx context.Context, item work.Item, it Import, b parsedBatch, inParts bool) (Import, error) {
	var after Import
	var out batchResult
	err := w.db.Write(ctx, item.UserID, func(tx *postgres.Tx) error {
		out = batchResult{it: it, bad: b.bad, duplicates: b.double}
		if err := w.writeRows(tx, &out, b.rows, inParts); err != nil {
			return err
		}
		if err := w.noteErrors(tx, out.bad); err != nil {
			return err
		}
		if err := journal.Note(tx, it.ID, it.AccountID, out.added); err != nil {
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
		w.observe(int64(len(out.added)), out.duplicates, int64(len(out.bad)))
	}
	return after, err
}
