package company

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/activity"
	"dealflow/internal/postgres"
)

// DeckPages returns the text of each page of a company's deck, as far as it was read; none where the deck is no PDF.
// It refuses as Get does.
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

// Done is an entry of a company's activity, with the name of the user who did it.
type Done struct {
	activity.Entry

	UserName string
}

// History returns the latest entries of a company's activity, up to most of them, the newest first. It refuses as Get
// does.
func (s *Service) History(
	ctx context.Context, who *postgres.Identity, id uuid.UUID, most int,
) (done []Done, err error) {
	err = s.db.Read(ctx, who, Seen(id), postgres.Found(s.db, &done, func(db *gorm.DB) *gorm.DB {
		return db.Table("activity a").Joins("LEFT JOIN users u ON u.id = a.user_id").
			Select("a.*, COALESCE(u.name, '') AS user_name").
			Where("a.company_id = ?", id).Order("a.created_at DESC, a.id DESC").Limit(most).Find(&[]Done{})
	}))
	if err != nil {
		return nil, fmt.Errorf("read the history of company %s: %w", id, err)
	}
	return done, nil
}
