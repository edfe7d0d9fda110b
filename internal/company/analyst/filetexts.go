package analyst

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"dealflow/internal/blob"
	"dealflow/internal/company"
	"dealflow/internal/company/attachment"
	"dealflow/internal/fault"
	"dealflow/internal/pdftext"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// reading is a file of a company with the text that was read from it.
type reading struct {
	file company.File
	text fileText
}

// fileText is the text that was read from a file, or why it could not be read.
type fileText struct {
	FileID    uuid.UUID `gorm:"primaryKey"`
	AccountID uuid.UUID
	CompanyID uuid.UUID
	Reader    string
	Title     string
	Pages     []string `gorm:"serializer:json"`
	Error     string
	CreatedAt time.Time

	Width   float64 `gorm:"-"` // of the first page, in points; 0 if that is not known
	Height  float64 `gorm:"-"`
	Passing bool    `gorm:"-"` // Error has a temporary reason, such as a lack of time: the file should be read again
}

func (fileText) TableName() string { return "file_texts" }

// Read performs a claimed work item of the kind WorkRead and marks it as done. A file that was deleted meanwhile, or
// that cannot be read, is not an error. One that cannot be read for a temporary reason is an error until the last
// attempt; a storage that cannot be read now is one in any case.
func (a *Analyst) Read(ctx context.Context, item work.Item) error {
	var todo attachment.ReadInput
	if err := json.Unmarshal(item.Input, &todo); err != nil {
		return fmt.Errorf("read which file to read: %w", err)
	}
	for {
		if done, err := a.readFile(ctx, item, todo.FileID); err != nil || done {
			return err
		}
	}
}

// readFile reads a file, stores its text and marks the item as done; if the file is gone or is no PDF in storage, it
// only marks the item as done. If the file was deleted while it was read, or moved to another company by a merge or the
// undo of one, readFile changes nothing and returns false, and the caller must call it again.
func (a *Analyst) readFile(ctx context.Context, item work.Item, id uuid.UUID) (done bool, err error) {
	var files []company.File
	err = a.db.As(ctx, item.UserID, func(tx *postgres.Tx) error { return tx.Find(&files, "id = ?", id).Error })
	if err != nil {
		return false, fmt.Errorf("load file %s: %w", id, err)
	}
	readings, err := a.readAll(ctx, target{files: files})
	if err != nil {
		return false, err
	}
	for _, r := range readings {
		if r.text.Passing && item.Failures+1 < item.MaxAttempts {
			return false, errors.New(r.text.Error)
		}
	}
	err = a.db.As(ctx, item.UserID, func(tx *postgres.Tx) error {
		for _, r := range readings {
			if done, err = holdFile(tx, r.file); err != nil || !done {
				return err
			}
		}
		done = true
		if err := storeTexts(tx, readings); err != nil {
			return err
		}
		return work.Finish(tx, item, nil)
	})
	return done, err
}

// holdFile locks the company of a file and reports whether the file is still there. If so, it stays there until the
// transaction ends: merges lock their companies first.
func holdFile(tx *postgres.Tx, file company.File) (there bool, err error) {
	_, err = tx.Returning("SELECT id FROM companies WHERE id = $1::uuid FOR NO KEY UPDATE", file.CompanyID)
	if err != nil {
		return false, fmt.Errorf("lock company %s: %w", file.CompanyID, err)
	}
	found, err := tx.Returning("SELECT id FROM company_files WHERE id = $1::uuid AND company_id = $2::uuid FOR KEY SHARE",
		file.ID, file.CompanyID)
	if err != nil {
		return false, fmt.Errorf("lock file %s: %w", file.ID, err)
	}
	return len(found) > 0, nil
}

// readFor is the time limit for reading the PDFs of one company. The rest of the half hour of an attempt (package jobs)
// is for the analysis, even if many PDFs wait for few readers on a slow machine. With the largest PDF_TIMEOUT, one PDF
// may take ten times that, 20 minutes, so readFor must not be less.
const readFor = 20 * time.Minute

// errNoTime is why a PDF was not read within Deps.ReadFor.
var errNoTime = errors.New("there was not enough time to read it")

// readAll reads each PDF of the target that has a storage path, and skips other files. The readings are in the order of
// the files. It starts all at once: the pool of readers has its own limit. A PDF that cannot be read is not an error.
// It returns the errors that read returns.
func (a *Analyst) readAll(ctx context.Context, t target) ([]reading, error) {
	var readings []reading
	for _, file := range t.files {
		if file.MediaType != nil && *file.MediaType == company.PDF && file.StoragePath != nil {
			readings = append(readings, reading{file: file})
		}
	}
	by := time.Now().Add(a.readFor)
	group, ctx := errgroup.WithContext(ctx)
	for i := range readings {
		group.Go(func() error {
			var err error
			readings[i].text, err = a.read(ctx, readings[i].file, by)
			return err
		})
	}
	return readings, group.Wait()
}

// read returns the text of a PDF, or in Error why it has none, such as that it was not read by the given time. It
// returns an error only where storage fails, the pool of readers is closed, or the context ends.
func (a *Analyst) read(ctx context.Context, file company.File, by time.Time) (fileText, error) {
	text := fileText{FileID: file.ID, AccountID: file.AccountID, CompanyID: file.CompanyID, Pages: []string{}}
	document, err := a.document(ctx, file, by)
	switch {
	case ctx.Err() != nil:
		return text, ctx.Err()
	case fault.Is(err, fault.NotFound):
		text.Error = "the file is gone from storage"
		return text, nil
	// nothing is wrong with the file; or this worker ends, and another one reads it
	case blob.IsUnavailable(err), errors.Is(err, pdftext.ErrClosed):
		return text, fmt.Errorf("read file %s: %w", file.ID, err)
	}
	if problem := cmp.Or(err, document.Problem); problem != nil {
		a.logger.WarnContext(ctx, "a PDF could not be read whole", "file_id", file.ID, "error", problem)
		text.Error, text.Passing = problem.Error(), pdftext.IsTemporary(problem) || errors.Is(problem, errNoTime)
	}
	text.Reader, text.Title = document.Reader, document.Title
	text.Width, text.Height = document.Width, document.Height
	if document.Pages != nil {
		text.Pages = document.Pages
	}
	if text.Error == "" && document.PageCount > 0 && len(document.Scans) == document.PageCount {
		text.Error = "its pages are pictures without text"
	}
	return text, nil
}

// document reads a file as a PDF. The error is errNoTime if the file was not read by the given time, otherwise the
// error of the storage or of the pool of readers.
func (a *Analyst) document(ctx context.Context, file company.File, by time.Time) (pdftext.Document, error) {
	ctx, done := context.WithDeadlineCause(ctx, by, errNoTime)
	defer done()
	object, err := a.blobs.Open(ctx, *file.StoragePath)
	if err != nil {
		return pdftext.Document{}, fmt.Errorf("open it: %w", cmp.Or(late(ctx), err))
	}
	defer object.Close()
	began := time.Now()
	document, err := a.reader.Read(ctx, object)
	a.timed("read", cmp.Or(document.Reader, "none"), time.Since(began))
	if err != nil {
		err = cmp.Or(late(ctx), err)
	}
	return document, err
}

// late returns errNoTime if the time limit of document has passed, else nil.
func late(ctx context.Context) error {
	if cause := context.Cause(ctx); errors.Is(cause, errNoTime) {
		return errNoTime
	}
	return nil
}
