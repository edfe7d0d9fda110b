package email

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
)

// sweepBatch is how many files one transaction of a sweep looks at. It may remove all of them.
const sweepBatch = 500

// StoreFiles stores the attachments of messages and their raw MIME, each content once for an account, and sets
// Attachments and RawPath of their drafts. Call it before the transaction that adds the emails. That must commit within
// retention.AbandonedFiles: after that time, Sweep removes files to which no email refers. StoreFiles may be called
// again. After an error, some of the files may be stored; blob.IsUnavailable reports whether the storage is the cause.
func (s *Service) StoreFiles(ctx context.Context, accountID uuid.UUID, messages ...*Message) error {
	contents := map[string][]byte{}
	for _, m := range messages {
		m.nameFiles(accountID, contents)
	}
	if len(contents) == 0 {
		return nil
	}
	keys := make([]string, 0, len(contents))
	for key := range contents {
		keys = append(keys, key)
	}
	if err := s.Hold(ctx, accountID, keys...); err != nil {
		return err
	}
	if err := s.blobs.PutOnce(ctx, contents); err != nil {
		return fmt.Errorf("store the files of emails: %w", err)
	}
	return nil
}

// nameFiles sets the storage keys of the message's files in the draft, and adds the contents of the files by their
// keys.
func (m *Message) nameFiles(accountID uuid.UUID, contents map[string][]byte) {
	m.Attachments = make([]Attachment, len(m.Files))
	for i, file := range m.Files {
		sum := sha256.Sum256(file.Content)
		key := FileKey(accountID, hex.EncodeToString(sum[:]))
		contents[key] = file.Content
		m.Attachments[i] = Attachment{
			Filename: file.Filename, ContentType: file.ContentType, SizeBytes: int64(len(file.Content)), StoragePath: key,
		}
	}
	if len(m.Raw) > 0 {
		sum := sha256.Sum256(m.Raw)
		m.RawPath = FileKey(accountID, hex.EncodeToString(sum[:]))
		contents[m.RawPath] = m.Raw
	}
}

// FileKey returns the key of a file of an account's emails. sum is the SHA-256 of its content in lower-case
// hexadecimal. Accounts share no files, so that no account can find out which files another has.
func FileKey(accountID uuid.UUID, sum string) string {
	return "emails/" + accountID.String() + "/" + sum
}

// Hold records files that are about to be written, so that Sweep finds those to which no email refers afterwards. For a
// file that is recorded already, the age for Sweep begins again.
func (s *Service) Hold(ctx context.Context, accountID uuid.UUID, keys ...string) error {
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Exec("SELECT app_hold_files(?, ?::text[])", accountID, postgres.Strings(keys)).Error
	})
	if err != nil {
		return fmt.Errorf("remember files of emails: %w", err)
	}
	return nil
}

// Sweep removes files to which no email and no receipt refers, if more than age has passed since Hold last recorded
// them or since their email was deleted. It returns how many it removed. It stops at the first error.
func (s *Service) Sweep(ctx context.Context, age time.Duration) (int, error) {
	removed := 0
	for {
		taken, gone, err := s.sweepSome(ctx, age)
		removed += gone
		if err != nil || taken < sweepBatch {
			return removed, err
		}
	}
}

// sweepSome looks at up to sweepBatch files and removes those to which nothing refers. It returns how many it looked
// at, and how many it removed; 0 and 0 after an error. It removes them before it commits, so that a process that is to
// write one of them again waits in Hold until it is gone.
func (s *Service) sweepSome(ctx context.Context, age time.Duration) (taken, gone int, err error) {
	var found []struct {
		StoragePath string
		Nobodys     bool
	}
	err = s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		if err := tx.Raw("SELECT * FROM app_take_loose_files(make_interval(secs => ?), ?)", age.Seconds(), sweepBatch).
			Scan(&found).Error; err != nil {
			return err
		}
		var unwanted []string
		for _, file := range found {
			if file.Nobodys {
				unwanted = append(unwanted, file.StoragePath)
			}
		}
		gone = len(unwanted)
		return s.blobs.Delete(ctx, unwanted...)
	})
	if err != nil {
		return 0, 0, fmt.Errorf("sweep files of emails: %w", err)
	}
	return len(found), gone, nil
}
