package email

import (
	"context"

	"github.com/google/uuid"
)

// Message is an email as it came from outside, read but not kept yet. Files hold what its attachments are; StoreFiles puts them, and Raw, into storage
// and says in the Draft where they lie.
type Message struct {
	Draft

	Raw   []byte // the whole MIME message; nil where it came in another shape
	Files []IncomingFile
}

// IncomingFile is an attachment with its content.
type IncomingFile struct {
	Filename    string // as a person should see it: never a path, never empty
	ContentType string // media type without parameters, as the sender calls it
	Content     []byte
}

// StoreFiles puts the attachments of messages and their raw MIME into storage, each content once for an account, and fills Attachments and RawPath of
// their drafts. It is called before the transaction that keeps the emails, within the hour; what no email refers to by then is removed by Sweep. Calling
// it again does nothing again.
func (s *Service) StoreFiles(ctx context.Context, accountID uuid.UUID, messages ...*Message) error {
	for _, m := range messages {
		if err := s.storeFiles(ctx, accountID, m); err != nil {
			return err
		}
	}
	return nil
}
