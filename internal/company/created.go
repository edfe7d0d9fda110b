package company

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// Created is what is after an AI creation.
type Created struct {
	Company     View
	Attachments []File
	Analysis    Analysis
}

// Created returns what stands now of a draft that CreateFromPitch took, analysed or not. After a dry run it also
// removes what was kept for the moment; the company's ID is then uuid.Nil.
func (s *Service) Created(ctx context.Context, user uuid.UUID, d Draft) (Created, error) {
	if !d.DryRun {
		return s.storedCreation(ctx, user, d)
	}
	defer s.Discard(ctx, d.CompanyID, d.Files)
	var out Created
	err := s.db.As(ctx, user, func(tx *postgres.Tx) error {
		item, err := work.Get(tx, d.WorkID)
		if err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
			return fmt.Errorf("read the work: %w", err)
		}
		done, err := decode(item)
		if err != nil {
			return err
		}
		out.Analysis = done.Analysis
		return s.previewedCreation(tx, d.WorkID, done, &out)
	})
	return out, err
}

// storedCreation reads all in one trip. A company that is not seen was deleted, or went out of the caller's sight,
// while they waited.
func (s *Service) storedCreation(ctx context.Context, user uuid.UUID, d Draft) (out Created, err error) {
	var items []work.Item
	var rows []viewRow
	who := postgres.AsUser(user)
	attachments := postgres.Found(s.db, &out.Attachments, func(db *gorm.DB) *gorm.DB { return attachmentsOf(db, d.CompanyID).Find(&[]File{}) })
	if err := s.db.Read(ctx, who, work.Query(s.db, &items, d.WorkID), viewQuery(&rows, d.CompanyID), attachments); err != nil {
		return out, fmt.Errorf("read what was taken in: %w", err)
	}
	if len(rows) == 0 {
		_, err := s.Get(ctx, who, d.CompanyID)
		return out, err
	}
	if out.Company, err = rows[0].view(); err != nil {
		return out, err
	}
	done, err := decode(append(items, work.Item{})[0])
	out.Analysis = done.Analysis
	return out, err
}

func (s *Service) previewedCreation(tx *postgres.Tx, workID uuid.UUID, done AnalysisResult, out *Created) error {
	out.Attachments = []File{}
	if done.Preview != nil {
		out.Company = View{Company: done.Preview.Company, Assignees: []account.User{}}
		if err := loadStatus(tx, &out.Company); err != nil {
			return err
		}
		out.Company.ID, out.Company.DeckStoragePath = uuid.Nil, nil
		out.Attachments = done.Preview.attachments()
	}
	return work.Drop(tx, workID)
}

// attachments returns the files that would be attachments, in the order of attachmentsOf, without what they have only
// once they are stored.
func (p *Preview) attachments() []File {
	files := []File{}
	for _, file := range p.Files {
		if file.Role != RoleDeck {
			file.ID, file.StoragePath = uuid.Nil, nil
			files = append(files, file)
		}
	}
	return files
}
