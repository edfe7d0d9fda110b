package email

import (
	"bytes"
	"encoding/json"

	"github.com/google/uuid"

	"dealflow/internal/company/match"
	"dealflow/internal/postgres"
)

// linkKnown links emails that were just stored to the companies to which the addresses of their senders, recipients and
// copies (Cc) belong, as match.Matcher.LinkEmails does. The drafts must have the IDs of the emails.
func (s *Service) linkKnown(tx *postgres.Tx, accountID uuid.UUID, drafts ...*Draft) error {
	letters := make([]match.Correspondence, len(drafts))
	for i, d := range drafts {
		letters[i] = match.Correspondence{
			EmailID: d.ID, Addresses: append(append([]string{d.FromEmail}, d.ToEmails...), d.copied()...),
		}
	}
	return s.companies.LinkEmails(tx, accountID, letters)
}

// copied returns the addresses of Cc, which ReadMIME writes into the metadata. It returns none if a client has stored
// another value there.
func (d *Draft) copied() []string {
	if !bytes.Contains(d.Metadata, []byte(`"cc"`)) {
		return nil
	}
	var metadata struct {
		Addresses []string `json:"cc"`
	}
	if json.Unmarshal(d.Metadata, &metadata) != nil {
		return nil
	}
	return metadata.Addresses
}
