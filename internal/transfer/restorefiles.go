package transfer

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/blob"
	"dealflow/internal/company/upload"
	"dealflow/internal/email"
	"dealflow/internal/fault"
	"dealflow/internal/ingest/journal"
	"dealflow/internal/postgres"
)

const (
	// mailOverhead is the largest size of a mail as a multiple of that of the largest file: base64 adds a third to its
	// attachments.
	mailOverhead = 2
	keepTimeout  = time.Minute
	tidyTimeout  = 30 * time.Second
)

// Content is a received file, which is to be restored together with its line of an export.
type Content struct {
	blob.Written

	id uuid.UUID
}

// key returns the key of the content before its line is restored. The sweep of uploads removes content that stays
// there.
func (c Content) key() string { return upload.ToRestoreKey(c.id) }

// Receive stores content until RestoreContent or Discard is called; if neither is, the sweep of uploads removes it. If
// the content is larger than mailOverhead times MaxFileSize, the error is TooLarge, and nothing of it is kept.
func (s *Service) Receive(ctx context.Context, r io.Reader) (Content, error) {
	content := Content{id: postgres.NewID()}
	limit := mailOverhead * s.MaxFileSize
	var err error
	content.Written, err = s.Blobs.Write(ctx, content.key(), r, limit)
	if fault.Is(err, fault.TooLarge) {
		return content, fault.New(fault.TooLarge, "file_too_large",
			fault.Detail{Field: "file", Message: fmt.Sprintf("is larger than %d bytes", limit)})
	}
	return content, err
}

// Discard removes received content. It logs an error; a sweep then removes the content.
func (s *Service) Discard(ctx context.Context, content Content) { s.removed(ctx, content.key()) }

// removed removes a file, and reports whether it is gone. It logs an error.
func (s *Service) removed(ctx context.Context, key string) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTimeout)
	defer cancel()
	err := s.Blobs.Delete(ctx, key)
	if err != nil {
		s.Logger.WarnContext(ctx, "a file could not be removed; the sweep of uploads will remove it",
			slog.String("key", key), slog.Any("error", err))
	}
	return err == nil
}

// RestoreContent writes a line of an export back with its content, and reports whether the row is new. It does not
// change what the account has already. The error is NotFound or Forbidden if the user is neither an owner nor an admin
// of the account. It is InvalidBody if lines of this type have no content, if the content has another hash than the
// line says, if the line refers to a row that the account does not have, or if it has values that cannot be stored. The
// received content is removed in any case, unless the error is postgres.ErrOutcomeUnknown or a copy of it that no row
// names cannot be removed: the sweep of uploads finds a copy only by its content.
func (s *Service) RestoreContent(ctx context.Context, user, accountID uuid.UUID, line Line,
	content Content,
) (created bool, err error) {
	defer func() {
		if err != nil && !postgres.Undone(err) { // the row may have been written; the sweep asks the database
			return
		}
		if created || s.removed(ctx, upload.RestoredKey(content.id)) {
			s.removed(ctx, content.key())
		}
	}()
	if !restores()[line.Type].stored || line.Path == "" {
		return false, fault.Field("line", "must be of a type that has a path and a sha256")
	}
	there := false
	err = s.DB.As(ctx, user, func(tx *postgres.Tx) error {
		if err := account.RequireAdmin(tx, accountID); err != nil {
			return err
		}
		if content.SHA256 != line.SHA256 {
			return fault.Field("file", "has the SHA-256 "+content.SHA256+", and the line says "+line.SHA256)
		}
		there, err = isThere(tx, accountID, line)
		return err
	})
	if err != nil || there {
		return false, err
	}
	if line.Type == TypeFile {
		return s.restoreFile(ctx, user, accountID, line, content)
	}
	return s.restoreEmailFile(ctx, user, accountID, line, content)
}

// restoreFile restores a file of a company, and reports whether it is new. It copies the content to a new key, so that
// RestoreContent can remove the copy if no row that names it is written; the sweep does so if this process ends before.
func (s *Service) restoreFile(ctx context.Context, user, accountID uuid.UUID, line Line,
	content Content,
) (created bool, err error) {
	key := upload.RestoredKey(content.id)
	if err := s.keep(ctx, content.key(), key); err != nil {
		return false, err
	}
	return s.write(ctx, user, accountID, line, key)
}

// restoreEmailFile restores a file of an email, or its message, and reports whether it is new. The content gets the
// same key as other content of the account's emails with this hash; the sweep of emails removes it if no row names it.
func (s *Service) restoreEmailFile(ctx context.Context, user, accountID uuid.UUID, line Line,
	content Content,
) (created bool, err error) {
	key := email.FileKey(accountID, content.SHA256)
	if err := s.Emails.Hold(ctx, accountID, key); err != nil {
		return false, err
	}
	if err := s.keep(ctx, content.key(), key); err != nil {
		return false, err
	}
	return s.write(ctx, user, accountID, line, key)
}

// keep copies received content, for at most keepTimeout. It does not end when ctx does: if it stopped because the
// client has disconnected, half a copy could be left.
func (s *Service) keep(ctx context.Context, from, to string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	return s.Blobs.Keep(ctx, blob.Pair{From: from, To: to})
}

func (s *Service) write(ctx context.Context, user, accountID uuid.UUID, line Line, key string) (created bool,
	err error,
) {
	err = s.DB.Write(ctx, user, func(tx *postgres.Tx) error {
		added, err := restores()[line.Type].run(tx, accountID, arrayOf([]Line{line}), &key)
		created = len(added) > 0
		if err != nil || !created || line.Type != TypeFile {
			return err
		}
		return followCompany(tx, added)
	})
	if postgres.IsRefused(err) && !fault.Is(err, fault.InvalidBody) {
		err = fault.Field("line", "holds something that cannot be stored").Because(err)
	}
	return created && err == nil, err
}

// followCompany records new files as things of the import that created their company, so that the undo of that import
// removes them too.
func followCompany(tx *postgres.Tx, files []uuid.UUID) error {
	for _, file := range files {
		var company uuid.UUID
		if err := tx.Run(postgres.Value(&company, "SELECT company_id FROM company_files WHERE id = $1", file)); err != nil {
			return fmt.Errorf("look for the company of file %s: %w", file, err)
		}
		of := journal.Thing{Kind: journal.Company, ID: company}
		if err := journal.Follow(tx, of, []journal.Thing{{Kind: journal.File, ID: file}}); err != nil {
			return err
		}
	}
	return nil
}
