package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/gabriel-vasile/mimetype"
	"github.com/spf13/cobra"

	"dealflow/internal/config"
	"dealflow/internal/pdftext"
)

// extracted is the result of reading a file, as the command prints it. Error is null if all pages could be read. If
// only some could be read, both Pages and Error are set. Pages is never null.
type extracted struct {
	File   string   `json:"file"`
	Pages  []string `json:"pages"`
	Reader *string  `json:"reader"`
	Error  *string  `json:"error"`
}

func (t *tool) extractCommand() *cobra.Command {
	return &cobra.Command{
		Use: "extract FILE...", Short: "Print the text that a worker reads from PDF files",
		Long: `Read PDF files as a worker does, and print a line with one JSON object for each, in the order given, even
for one that cannot be read: {"file", "pages": [text of each page], "reader", "error"}. The
exit code is 1 if there was any error.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error { return t.extract(cmd.Context(), paths) },
	}
}

func (t *tool) extract(ctx context.Context, paths []string) error {
	cfg, log, err := config.LoadReader()
	if err != nil {
		return err
	}
	r := reader{log: t.logger(log)}
	r.pool = pdftext.NewPool(pdftext.Options{
		Children: min(cfg.Children, len(paths)), Timeout: cfg.Timeout, CacheDir: cfg.Cache(),
		Logger: r.log,
	})
	defer r.pool.Close()
	r.warm(ctx, cfg)
	out := json.NewEncoder(t.out)
	out.SetEscapeHTML(false) // the text unchanged
	failed := 0
	err = inOrder(paths, 2*cfg.Children,
		func(path string) extracted { return r.extract(ctx, path) }, func(e extracted) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if e.Error != nil {
				failed++
			}
			return out.Encode(e)
		})
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %d files could not be read whole: their lines say why", failed, len(paths))
	}
	return err
}

// reader reads files as a worker does, in child processes.
type reader struct {
	pool *pdftext.Pool
	log  *slog.Logger
}

// warm compiles PDFium and stores the result in the cache folder, unless that was done before or there is no such
// folder. Compiling takes seconds, which would count against the time limit of the first document. It logs a failure.
func (r reader) warm(ctx context.Context, cfg config.Reader) {
	if cfg.Cache() == "" {
		return // there is no folder for the result
	}
	if err := r.pool.Warm(ctx); err != nil && ctx.Err() == nil {
		r.log.WarnContext(ctx,
			"the second PDF reader could not be prepared; the first document that needs it may take too long", "error", err)
	}
}

func (r reader) extract(ctx context.Context, path string) extracted {
	read := extracted{File: path, Pages: []string{}}
	document, err := r.read(ctx, path)
	if err == nil {
		err = document.Problem
	}
	r.logShortfall(ctx, path, document)
	if err != nil {
		text := err.Error()
		read.Error = &text
	}
	if document.Reader != "" {
		read.Reader = &document.Reader
	}
	if document.Pages != nil {
		read.Pages = document.Pages
	}
	return read
}

// logShortfall logs a warning if a document was cut at a limit, and one if pages are probably scans without text.
func (r reader) logShortfall(ctx context.Context, path string, document pdftext.Document) {
	if document.Cut {
		r.log.WarnContext(ctx, "a document is too long to be read to its end", "file", path, "pages", document.PageCount)
	}
	if len(document.Scans) > 0 {
		r.log.WarnContext(ctx, "some pages have no text, and seem to be pictures", "file", path, "pages",
			document.Scans)
	}
}

func (r reader) read(ctx context.Context, path string) (pdftext.Document, error) {
	file, err := openFile(path)
	if err != nil {
		return pdftext.Document{}, err
	}
	defer file.Close()
	document, err := r.pool.Read(ctx, file)
	if errors.Is(err, pdftext.ErrDamaged) {
		err = orOtherType(path, err)
	}
	return document, err
}

// orOtherType returns an error that names the type of the file if that is known and not PDF, else the error damaged.
func orOtherType(path string, damaged error) error {
	found, err := mimetype.DetectFile(path)
	if err != nil || found.Is("application/pdf") || found.Is("application/octet-stream") {
		return damaged
	}
	return fmt.Errorf("%s is no PDF but %s, and a worker reads the text of PDFs alone: export it as PDF",
		filepath.Base(path), found)
}

// openFile opens a regular file, which the caller must close. It returns an error for anything else, since reading from
// a pipe or a device might not end.
func openFile(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file: give the files themselves", path)
	}
	return os.Open(path) //nolint:gosec // the file that the user names
}
