// Package upload has the files that clients send for companies: where they wait until their company is committed,
// where they are kept, and what becomes of those that nothing names.
package upload

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"dealflow/internal/blob"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Options are what a Store is made of. All are required.
type Options struct {
	DB          *postgres.DB
	Blobs       *blob.Store
	MaxFileSize int64 // bytes
	Logger      *slog.Logger
}

// Store receives the files of companies, and keeps or removes them around the commit of the row that names them.
type Store struct {
	db          *postgres.DB
	blobs       *blob.Store
	maxFileSize int64
	logger      *slog.Logger
}

// New returns a store.
func New(o Options) *Store {
	return &Store{db: o.DB, blobs: o.Blobs, maxFileSize: o.MaxFileSize, logger: o.Logger}
}

// MaxFiles is how many files one AI creation takes.
const MaxFiles = 10

// incomingPrefix is where files are until their company is committed. What is older than AbandonedAge there was left
// behind.
const incomingPrefix = "incoming/"

// File is a file that was received, and is under incoming/.
type File struct {
	ID        uuid.UUID
	Position  int    // N of file_N
	FileName  string // base name, as the client called it
	MediaType string // found in the content
	Size      int64
	SHA256    string // of the content, in hexadecimal
}

// Receive streams a file of an AI creation to storage. TooLarge over the limit, InvalidBody for an empty one; then
// nothing of it is kept.
func (s *Store) Receive(ctx context.Context, companyID uuid.UUID, position int, fileName string,
	r io.Reader,
) (File, error) {
	return s.ReceiveAs(ctx, companyID, fmt.Sprintf("file_%d", position), position, fileName, r)
}

// ReceiveAs calls the file by the name of its field where it has no name of its own.
func (s *Store) ReceiveAs(ctx context.Context, companyID uuid.UUID, field string, position int, fileName string,
	r io.Reader,
) (File, error) {
	up := File{ID: uuid.New(), Position: position, FileName: BaseName(fileName, field)}
	written, err := s.blobs.Write(ctx, IncomingKey(companyID, up.ID), r, s.maxFileSize)
	switch {
	case fault.Is(err, fault.TooLarge):
		return File{}, fault.New(fault.TooLarge, "file_too_large",
			fault.Detail{Field: field, Message: fmt.Sprintf("is larger than %d bytes", s.maxFileSize)})
	case err != nil:
		return File{}, fmt.Errorf("store %s: %w", field, err)
	case written.Size == 0:
		s.Remove(ctx, IncomingKey(companyID, up.ID))
		return File{}, fault.Field(field, "is empty")
	}
	up.MediaType, up.Size, up.SHA256 = written.MediaType, written.Size, written.SHA256
	return up, nil
}

// Discard removes what Receive stored, after a refusal. It works on when the client has gone.
func (s *Store) Discard(ctx context.Context, companyID uuid.UUID, uploads []File) {
	keys := make([]string, len(uploads))
	for i, up := range uploads {
		keys[i] = IncomingKey(companyID, up.ID)
	}
	s.Remove(ctx, keys...)
}

// Keeping runs write in a transaction of the user, which names the uploads.
func (s *Store) Keeping(ctx context.Context, user, companyID uuid.UUID, uploads []File,
	write func(*postgres.Tx) error,
) error {
	err := s.Keep(ctx, companyID, uploads)
	if err == nil {
		err = s.db.Write(ctx, user, write)
	}
	s.Clear(ctx, companyID, uploads, err == nil, err)
	return err
}

// Clear removes what is not needed of uploads that Keep has kept, after the transaction that was to name them ended
// with err. It is the one place that decides about files around a commit: where nothing names them for certain they
// go, where something does their originals go, and while that is not known all of them stay for Sweep, which
// asks the database.
func (s *Store) Clear(ctx context.Context, companyID uuid.UUID, uploads []File, named bool, err error) {
	if err != nil && !postgres.Undone(err) {
		return
	}
	var gone []string
	for _, up := range uploads {
		if err != nil || !named {
			gone = append(gone, StoredKey(companyID, up.ID))
		}
		gone = append(gone, IncomingKey(companyID, up.ID))
	}
	s.Remove(ctx, gone...)
}

// keepTimeout bounds how long files may take to be put where they stay: the sweep lets them alone for much longer.
const keepTimeout = time.Minute

// removeTimeout bounds how long the removal of files may take.
const removeTimeout = 30 * time.Second

// Keep puts uploads where they stay. It does not end with the client: a server that copies files goes on when nobody
// listens, and its copy would be found by nobody.
func (s *Store) Keep(ctx context.Context, companyID uuid.UUID, uploads []File) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	files := make([]blob.Pair, len(uploads))
	for i, up := range uploads {
		files[i] = blob.Pair{From: IncomingKey(companyID, up.ID), To: StoredKey(companyID, up.ID)}
	}
	if err := s.blobs.Keep(ctx, files...); err != nil {
		return fmt.Errorf("keep the uploaded files: %w", err)
	}
	return nil
}

// Remove deletes stored files. It works on when the client has gone; the sweep finds what could not be deleted.
func (s *Store) Remove(ctx context.Context, keys ...string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
	defer cancel()
	if len(keys) == 0 {
		return
	}
	if err := s.blobs.Delete(ctx, keys...); err != nil {
		s.logger.WarnContext(ctx, "files could not be removed; the sweep will", "keys", keys, "error", err)
	}
}

// IncomingKey is where an upload is until its company is committed; it is flat, since a folder of its own would stay
// behind empty.
func IncomingKey(companyID, fileID uuid.UUID) string {
	return incomingPrefix + companyID.String() + "_" + fileID.String()
}

// StoredKey is where a file of a company is kept.
func StoredKey(companyID, fileID uuid.UUID) string {
	return "companies/" + companyID.String() + "/" + fileID.String()
}

// BaseName returns what a person should see as the file's name: never a path, no control characters, at most 255
// characters.
func BaseName(name, fallback string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, name)
	name = strings.TrimSpace(name)
	if name == "" || name == "." || name == ".." {
		return fallback
	}
	if runes := []rune(name); len(runes) > 255 {
		extension := []rune(path.Ext(name))
		if len(extension) > 16 {
			extension = nil
		}
		name = string(runes[:255-len(extension)]) + string(extension)
	}
	return name
}
