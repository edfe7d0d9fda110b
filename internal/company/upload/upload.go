// Package upload stores the files that clients send for companies. They wait under incoming/ until their company is
// committed, are then kept under companies/, and are removed where no row of the database names them. Package transfer
// stores the files that it restores under keys of this package, so that they are removed likewise.
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

	"dealflow/internal/blank"
	"dealflow/internal/blob"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

const (
	keepTimeout   = 5 * time.Minute  // for Keep to copy files: far less than the age at which they are swept
	removeTimeout = 30 * time.Second // for the removal of files
)

// Options are what a Store is made of. All are required, except MinBodyRate, which only Sweep uses.
type Options struct {
	DB          *postgres.DB
	Blobs       *blob.Store
	MaxFileSize int64 // bytes
	MinBodyRate int64 // the lowest rate at which a form may arrive, in bytes per second; 0: no forms arrive
	Logger      *slog.Logger
}

// Store receives the files of companies under incoming/. It keeps those that a committed row names, under companies/,
// and removes the others. It is safe for concurrent use.
type Store struct {
	db          *postgres.DB
	blobs       *blob.Store
	maxFileSize int64
	minBodyRate int64
	logger      *slog.Logger
}

// New returns a store.
func New(o Options) *Store {
	return &Store{
		db: o.DB, blobs: o.Blobs, maxFileSize: o.MaxFileSize, minBodyRate: o.MinBodyRate, logger: o.Logger,
	}
}

// incomingPrefix begins the keys of files until their company is committed. Sweep removes a file that is older than
// retention.AbandonedFiles plus the time that the slowest form takes.
const incomingPrefix = "incoming/"

// File is a file that was received and is stored under incoming/.
type File struct {
	ID        uuid.UUID
	Position  int    // N of the form field "file_N"; MaxFiles for a later attachment
	FileName  string // base name, as the client called it
	MediaType string // detected in the content
	Size      int64
	SHA256    string // of the content, in hexadecimal
}

// Receive streams a file of an AI creation to temporary storage; if it is not kept (see Keep), Sweep removes it.
// position is N of the form field "file_N". The error is TooLarge for a file over the limit and InvalidBody for an
// empty one; nothing of the file is kept then.
func (s *Store) Receive(ctx context.Context, companyID uuid.UUID, position int, fileName string,
	r io.Reader,
) (File, error) {
	return s.ReceiveAs(ctx, companyID, fmt.Sprintf("file_%d", position), position, fileName, r)
}

// ReceiveAs is Receive for a file of the form field with this name. A file without a name gets the name of the field.
func (s *Store) ReceiveAs(ctx context.Context, companyID uuid.UUID, field string, position int, fileName string,
	r io.Reader,
) (File, error) {
	up := File{ID: postgres.NewID(), Position: position, FileName: BaseName(fileName, field)}
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

// Discard removes files that Receive stored and that are not needed, as Remove does. If that fails, Sweep removes the
// files.
func (s *Store) Discard(ctx context.Context, companyID uuid.UUID, uploads []File) {
	keys := make([]string, len(uploads))
	for i, up := range uploads {
		keys[i] = IncomingKey(companyID, up.ID)
	}
	s.Remove(ctx, keys...)
}

// Keeping copies the uploads to where they are kept and runs write in a transaction of the user; write stores the rows
// that name the uploads. It then removes files as Clear does. It returns the error of the copying, of write or of the
// commit.
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

// Clear removes the files that are not needed after a transaction that ended with err. named says whether the
// transaction stored rows that name the uploads, which Keep copied. If it was rolled back or named is false, Clear
// removes the uploads and their copies; if it was committed with such rows, only the uploads. If the outcome of the
// commit is not known, all files stay for Sweep, which asks the database. If a copy cannot be removed, the uploads
// stay, since Sweep finds copies only by their uploads.
func (s *Store) Clear(ctx context.Context, companyID uuid.UUID, uploads []File, named bool, err error) {
	if err != nil && !postgres.Undone(err) {
		return
	}
	if err != nil || !named {
		copies := make([]string, len(uploads))
		for i, up := range uploads {
			copies[i] = StoredKey(companyID, up.ID)
		}
		if !s.removed(ctx, copies) {
			return
		}
	}
	s.Discard(ctx, companyID, uploads)
}

// Keep copies uploads to the keys under which they are kept. It goes on when ctx ends, for at most keepTimeout: the
// storage might still finish a copy that Keep no longer waits for, and nobody would find that copy. After an error,
// some of the copies may exist: see Clear.
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

// Remove deletes stored files. It goes on when ctx ends, for at most removeTimeout. It only logs an error. Files that
// it could not delete are deleted later: uploads by Sweep, with their copies, and files of companies by the
// company.WorkPurge that was added for them. Sweep does not find a copy whose upload is gone.
func (s *Store) Remove(ctx context.Context, keys ...string) { s.removed(ctx, keys) }

// removed does what Remove does, and reports whether all of the files are gone.
func (s *Store) removed(ctx context.Context, keys []string) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
	defer cancel()
	err := s.blobs.Delete(ctx, keys...)
	if err != nil {
		s.logger.WarnContext(ctx, "files could not be removed now; a worker will remove them", "keys", keys, "error", err)
	}
	return err == nil
}

// IncomingKey returns the key of an upload until its company is committed: "incoming/COMPANY_FILE". It has no folder
// of its own, which would be left behind empty.
func IncomingKey(companyID, fileID uuid.UUID) string {
	return incomingPrefix + companyID.String() + "_" + fileID.String()
}

// StoredKey returns the key under which a file of a company is kept: "companies/COMPANY/FILE".
func StoredKey(companyID, fileID uuid.UUID) string {
	return "companies/" + companyID.String() + "/" + fileID.String()
}

// restoredMark is how the name of a file to be restored begins.
const restoredMark = "restored_"

// ToRestoreKey returns the key of a file to be restored until the row that names it is committed:
// "incoming/restored_ID".
func ToRestoreKey(id uuid.UUID) string { return incomingPrefix + restoredMark + id.String() }

// RestoredKey returns the key under which a restored file is kept: "companies/restored/ID".
func RestoredKey(id uuid.UUID) string { return "companies/restored/" + id.String() }

// BaseName returns the name of a file for people: without its path, control characters, invalid UTF-8 and white space
// around it. A name of more than 255 characters is cut to 255, and keeps its extension if that has at most 16 with the
// dot. BaseName returns the fallback if nothing is left, or only "." or "..".
func BaseName(name, fallback string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, name)
	name = blank.Trim(name)
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
