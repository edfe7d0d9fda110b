package email

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/google/uuid"
)

func (s *Service) storeFiles(ctx context.Context, accountID uuid.UUID, m *Message) error {
	m.Attachments = make([]Attachment, len(m.Files))
	for i, file := range m.Files {
		key := fileKey(accountID, file.Content)
		if err := s.put(ctx, key, file.Content); err != nil {
			return err
		}
		m.Attachments[i] = Attachment{Filename: file.Filename, ContentType: file.ContentType, SizeBytes: int64(len(file.Content)), StoragePath: key}
	}
	if len(m.Raw) == 0 {
		return nil
	}
	m.RawPath = fileKey(accountID, m.Raw)
	return s.put(ctx, m.RawPath, m.Raw)
}

// put writes what is not there already; the key says what is in it.
func (s *Service) put(ctx context.Context, key string, content []byte) error {
	found, err := s.blobs.Exists(ctx, key)
	if err != nil || found {
		return err
	}
	if _, err := s.blobs.Write(ctx, key, bytes.NewReader(content), int64(len(content))); err != nil {
		return fmt.Errorf("store a file of an email: %w", err)
	}
	return nil
}

// fileKey names a file of an account's emails by its content. Accounts share nothing, so that none can learn what another has.
func fileKey(accountID uuid.UUID, content []byte) string {
	sum := sha256.Sum256(content)
	return "emails/" + accountID.String() + "/" + hex.EncodeToString(sum[:])
}
