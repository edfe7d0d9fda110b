package transfer

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/timestamp"
)

const (
	writeBuffer = 64 << 10 // bytes
	filesAtOnce = 200      // names of files that are read at a time
	// linesName is the file in an archive with the lines; missingName is the one that names files that were gone.
	linesName   = "export.ndjson"
	missingName = "missing.txt"
)

// Export writes the lines of everything that the caller sees in an account, or only those of one kind ("" is all), in
// the state of one moment. Keys, sessions, integrations and shared links have no lines. The error is NotFound or
// Forbidden if the caller is neither an owner nor an admin of the account, and Unavailable if too many exports run;
// nothing was written then. After any other error the export is incomplete: it lacks its last line, which has the type
// "end".
func (s *Service) Export(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, kind string, out io.Writer,
) error {
	return s.snapshot(ctx, who, accountID, func(ctx context.Context, read *postgres.Snapshot) error {
		return s.writeLines(ctx, read, accountID, kind, out, nil)
	})
}

// writeLines writes the lines of Export, and adds the paths that they name to paths, unless it is nil.
func (s *Service) writeLines(
	ctx context.Context, read *postgres.Snapshot, accountID uuid.UUID, kind string, out io.Writer, paths map[string]bool,
) error {
	lines := &lineWriter{out: bufio.NewWriterSize(out, writeBuffer)}
	if err := lines.write(TypeHeader,
		fmt.Appendf(nil, `{"format":"dealflow-export","version":%d,"account_id":"%s","exported_at":"%s"}`,
			Version, accountID, timestamp.Format(s.Now()))); err != nil {
		return err
	}
	for _, part := range sections() {
		if !isOf(part.kind, kind) {
			continue
		}
		path := "NULL"
		if part.hasPath() && paths != nil {
			path = "r.path"
		}
		err := read.Each(ctx, func(columns [][]byte) error {
			if columns[1] != nil {
				paths[string(columns[1])] = true
			}
			return lines.write(part.line, columns[0])
		}, "SELECT row_to_json(r)::text, "+path+" FROM ("+part.query+") r", accountID)
		if err != nil {
			return fmt.Errorf("export lines of type %s: %w", part.line, err)
		}
	}
	if err := lines.write(TypeEnd, fmt.Appendf(nil, `{"lines":%d}`, lines.count)); err != nil {
		return err
	}
	return lines.out.Flush()
}

// lineWriter writes lines and counts them.
type lineWriter struct {
	out   *bufio.Writer
	count int64
	line  bytes.Buffer
}

func (w *lineWriter) write(kind string, data []byte) error {
	w.count++
	if bytes.IndexByte(data, '\n') >= 0 { // Postgres breaks arrays of rows into lines, and keeps what people sent
		w.line.Reset()
		if err := json.Compact(&w.line, data); err != nil {
			return fmt.Errorf("compact a line: %w", err)
		}
		data = w.line.Bytes()
	}
	_, _ = w.out.WriteString(`{"type":"` + kind + `","data":`) // the writer keeps its first error
	_, _ = w.out.Write(data)
	_, err := w.out.WriteString("}\n")
	return err
}

// ExportArchive writes a zip archive: the lines as Export writes them, then every file under the path that its line
// names. Files that were gone, or no longer visible, before their turn came are named in missing.txt. Files are listed
// after the lines: a file that was added meanwhile has no line. The errors NotFound, Forbidden and Unavailable are as
// for Export. After any other error the output is not a valid zip archive.
func (s *Service) ExportArchive(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, kind string, out io.Writer,
) error {
	archive, missing := zip.NewWriter(out), map[string]bool{}
	if err := s.snapshot(ctx, who, accountID, func(ctx context.Context, read *postgres.Snapshot) error {
		entry, err := archive.CreateHeader(&zip.FileHeader{Name: linesName, Method: zip.Deflate, Modified: s.Now()})
		if err != nil {
			return err
		}
		return s.writeLines(ctx, read, accountID, kind, entry, missing)
	}); err != nil {
		return err
	}
	if err := s.writeFiles(ctx, postgres.AsUser(who.User), accountID, kind, archive, missing); err != nil {
		return err
	}
	if len(missing) > 0 {
		entry, err := archive.Create(missingName)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(entry, strings.Join(slices.Sorted(maps.Keys(missing)), "\n")+"\n"); err != nil {
			return err
		}
	}
	return archive.Close()
}

// storedFile is a file in storage, its key there and its name in the archive.
type storedFile struct {
	id        uuid.UUID
	key, name string
	created   time.Time
}

// writeFiles writes the files to the archive, and deletes their names from missing. It skips files that are no longer
// in storage. It lists files a page at a time, and holds no database connection while it sends a file.
func (s *Service) writeFiles(ctx context.Context, who *postgres.Identity, accountID uuid.UUID,
	kind string, archive *zip.Writer, missing map[string]bool,
) error {
	for _, files := range storedFiles() {
		for after, more := uuid.Nil, isOf(files.kind, kind); more; {
			var page []storedFile
			fields := func(f *storedFile) []any { return []any{&f.id, &f.key, &f.name, &f.created} }
			if err := s.DB.Read(ctx, who, postgres.Rows(&page, fields, files.query, accountID, after, filesAtOnce)); err != nil {
				return fmt.Errorf("list files: %w", err)
			}
			for _, file := range page {
				after = file.id
				switch err := s.writeFile(ctx, archive, file); {
				case err == nil:
					delete(missing, file.name)
				case !fault.Is(err, fault.NotFound):
					return fmt.Errorf("export %s: %w", file.key, err)
				}
			}
			more = len(page) == filesAtOnce
		}
	}
	return nil
}

// writeFile writes a file to the archive uncompressed, since most files are compressed already.
func (s *Service) writeFile(ctx context.Context, archive *zip.Writer, file storedFile) error {
	content, err := s.Blobs.Open(ctx, file.key)
	if err != nil {
		return err
	}
	defer content.Close()
	entry, err := archive.CreateHeader(&zip.FileHeader{Name: file.name, Method: zip.Store, Modified: file.created})
	if err != nil {
		return err
	}
	sent, err := io.Copy(entry, content)
	if err == nil && sent != content.Size {
		err = errors.New("the file ended early")
	}
	return err
}
