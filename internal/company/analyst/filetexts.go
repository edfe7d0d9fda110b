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

// reading is a file of a company with the text that was read of it.
type reading struct {
	file company.File
	text fileText
}

// fileText is the text that was read of a file, or why it could not be read.
type fileText struct {
	FileID    uuid.UUID `gorm:"primaryKey"`
	AccountID uuid.UUID
	CompanyID uuid.UUID
	Reader    string
	Title     string
	Pages     []string `gorm:"serializer:json"`
	Error     string
	CreatedAt time.Time

	Width   float64 `gorm:"-"` // of the first page, in points; 0 where that is not known
	Height  float64 `gorm:"-"`
	Passing bool    `gorm:"-"` // Error has a passing reason, such as a lack of time: the file should be read again
}

func (fileText) TableName() string { return "file_texts" }

// Read performs a claimed work item of the kind WorkRead and marks it as done. A file that was deleted meanwhile, or
// that cannot be read, is no error. One that cannot be read for a passing reason is an error until the last attempt.
func (a *Analyst) Read(ctx context.Context, item work.Item) error {
	var todo attachment.ReadInput
	if err := json.Unmarshal(item.Input, &todo); err != nil {
		return fmt.Errorf("read which file to read: %w", err)
	}
	var files []company.File
	err := a.db.As(ctx, item.UserID, func(tx *postgres.Tx) error { return tx.Find(&files, "id = ?", todo.FileID).Error })
	if err != nil {
		return fmt.Errorf("load file %s: %w", todo.FileID, err)
	}
	readings, err := a.readAll(ctx, target{files: files})
	if err != nil {
		return err
	}
	for _, r := range readings {
		if r.text.Passing && item.Failures+1 < item.MaxAttempts {
			return errors.New(r.text.Error)
		}
	}
	return a.db.As(ctx, item.UserID, func(tx *postgres.Tx) error {
		if err := storeTexts(tx, readings); err != nil {
			return err
		}
		return work.Finish(tx, item, nil)
	})
}

// readAll reads every PDF of the target. It starts all at once: the pool of readers has its own limit.
func (a *Analyst) readAll(ctx context.Context, t target) ([]reading, error) {
	var readings []reading
	for _, file := range t.files {
		if file.MediaType != nil && *file.MediaType == company.PDF && file.StoragePath != nil {
			readings = append(readings, reading{file: file})
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	for i := range readings {
		group.Go(func() error {
			var err error
			readings[i].text, err = a.read(ctx, readings[i].file)
			return err
		})
	}
	return readings, group.Wait()
}

// read returns the text of a PDF, or in Error why it has none. It returns an error only where storage fails, the pool
// of readers is closed, or the context ends.
func (a *Analyst) read(ctx context.Context, file company.File) (fileText, error) {
	text := fileText{FileID: file.ID, AccountID: file.AccountID, CompanyID: file.CompanyID, Pages: []string{}}
	object, err := a.blobs.Open(ctx, *file.StoragePath)
	if fault.Is(err, fault.NotFound) {
		text.Error = "the file is gone from storage"
		return text, nil
	}
	if err != nil {
		return text, fmt.Errorf("open file %s: %w", file.ID, err)
	}
	defer object.Close()
	began := time.Now()
	document, err := a.reader.Read(ctx, object)
	a.timed("read", cmp.Or(document.Reader, "none"), time.Since(began))
	if ctx.Err() != nil {
		return text, ctx.Err()
	}
	if blob.IsUnavailable(err) { // nothing is wrong with the file
		return text, fmt.Errorf("read file %s: %w", file.ID, err)
	}
	if errors.Is(err, pdftext.ErrClosed) { // this worker ends; another one reads it
		return text, err
	}
	if problem := cmp.Or(err, document.Problem); problem != nil {
		a.logger.WarnContext(ctx, "a PDF could not be read whole", "file_id", file.ID, "error", problem)
		text.Error, text.Passing = problem.Error(), pdftext.IsPassing(problem)
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
