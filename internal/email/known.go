package email

import (
	"bytes"
	"encoding/json"

	"github.com/google/uuid"

	"dealflow/internal/company/match"
	"dealflow/internal/postgres"
)

// linkKnown links emails that were just kept to the companies that their addresses belong to: who sent them, who got
// them, and who got a copy.
func (s *Service) linkKnown(tx *postgres.Tx, accountID uuid.UUID, drafts ...*Draft) error {
	letters := make([]match.Correspondence, len(drafts))
	for i, d := range drafts {
		letters[i] = match.Correspondence{
			EmailID: d.ID, Addresses: append(append([]string{d.FromEmail}, d.ToEmails...), d.copied()...),
		}
	}
	return s.companies.LinkEmails(tx, accountID, letters)
}

// copied are the addresses of Cc, as ReadMIME writes them into the metadata; others may write anything there.
func (d *Draft) copied() []string {
	if !bytes.Contains(d.Metadata, []byte(`"cc"`)) {
		return nil
	}
	var told struct {
		Addresses []string `json:"cc"`
	}
	if json.Unmarshal(d.Metadata, &told) != nil {
		return nil
	}
	return told.Addresses
}
