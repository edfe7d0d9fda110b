package company

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
)

// DeckPages returns the text of the deck of a company, page by page. It returns no pages if there is no deck, or if the
// deck is not a PDF, could not be read or has not been read yet. It returns the same errors as Get.
func (s *Service) DeckPages(ctx context.Context, who *postgres.Identity, id uuid.UUID) (pages []string, err error) {
	var raw []byte
	err = s.db.Read(ctx, who, Seen(id), postgres.Value(&raw,
		"SELECT t.pages FROM company_files f JOIN file_texts t ON t.file_id = f.id WHERE f.company_id = $1 AND f.role = "+
			"'deck'", id))
	if err == nil && len(raw) > 0 {
		err = json.Unmarshal(raw, &pages)
	}
	if err != nil {
		return nil, fmt.Errorf("read the text of the deck of company %s: %w", id, err)
	}
	return pages, nil
}
