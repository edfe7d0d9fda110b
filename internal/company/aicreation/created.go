package aicreation

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/company"
	"dealflow/internal/company/findings"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// Created is the result of an AI creation. Attachments are all files of the company but its deck.
type Created struct {
	Company     company.View
	Attachments []company.File
	Analysis    findings.Analysis
}

// Created returns the present state of the company that Create stored for a draft. Until the analysis is done, the
// Analysis says so: see Unfinished. If the company was deleted or hidden from the caller meanwhile, the error is that
// of company.Service.Get. After a dry run, Created also removes the work and the uploads; the company's ID is then
// uuid.Nil.
func (s *Service) Created(ctx context.Context, user uuid.UUID, d Draft) (out Created, err error) {
	if d.DryRun {
		return s.previewed(ctx, user, d)
	}
	var items []work.Item
	var views []company.View
	queries := []postgres.Query{
		work.Query(s.DB, &items, d.WorkID), company.OfOne(&views, d.CompanyID),
		postgres.Found(s.DB, &out.Attachments, func(db *gorm.DB) *gorm.DB {
			return db.Where("company_id = ? AND role <> ?", d.CompanyID, company.RoleDeck).
				Order("position, created_at, id").Find(&[]company.File{})
		}),
	}
	who := postgres.AsUser(user)
	if err := s.DB.Read(ctx, who, queries...); err != nil {
		return out, fmt.Errorf("read what was taken in: %w", err)
	}
	if len(views) == 0 {
		_, err := s.Companies.Get(ctx, who, d.CompanyID)
		return out, err
	}
	out.Company = views[0]
	done, err := decode(append(items, work.Item{})[0])
	out.Analysis = done.Analysis
	return out, err
}

// previewed returns the result of a dry run, and removes its work and its uploads.
func (s *Service) previewed(ctx context.Context, user uuid.UUID, d Draft) (out Created, err error) {
	defer s.Uploads.Discard(ctx, d.CompanyID, d.Files)
	err = s.DB.As(ctx, user, func(tx *postgres.Tx) error {
		item, err := work.Get(tx, d.WorkID)
		if err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
			return fmt.Errorf("read the work: %w", err)
		}
		done, err := decode(item)
		if err != nil {
			return err
		}
		out.Analysis, out.Attachments = done.Analysis, []company.File{}
		if done.Preview != nil {
			out.Company = company.View{Company: done.Preview.Company, Assignees: []account.User{}}
			out.Company.ID, out.Company.DeckStoragePath = uuid.Nil, nil
			out.Attachments = done.Preview.attachments()
			if err := loadStatus(tx, &out.Company); err != nil {
				return err
			}
		}
		return work.Drop(tx, d.WorkID)
	})
	return out, err
}

// attachments returns the files that would be attachments if the company were stored, in the order of their
// positions and without IDs and storage paths.
func (p *Preview) attachments() []company.File {
	files := []company.File{}
	for _, file := range p.Files {
		if file.Role != company.RoleDeck {
			file.ID, file.StoragePath = uuid.Nil, nil
			files = append(files, file)
		}
	}
	return files
}

// loadStatus sets the Status in the view of a company that is not stored; nil if it has none or its status was deleted.
func loadStatus(tx *postgres.Tx, v *company.View) error {
	if v.CompanyStatusID == nil {
		return nil
	}
	var found pipeline.Status
	err := tx.First(&found, "id = ?", *v.CompanyStatusID).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil
	}
	v.Status = &found
	return err
}
