package company

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/activity"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// Kinds of work that this package adds. A preview is the analysis of a dry run.
const (
	WorkAnalyse = "company.analyse"
	WorkPreview = "company.preview"
)

const analysisAttempts = 4

// order is what a work row tells the worker beside the stored company: what the client gave, so that it is not detected, and
// what was found inline.
type order struct {
	Links       []string `json:"links"`
	DeckURL     string   `json:"deck_url"`
	DeckReason  string   `json:"deck_reason"`
	NameGiven   bool     `json:"name_given"`
	StatusGiven bool     `json:"status_given"`
	SourceGiven bool     `json:"source_given"`
	SeveralPDFs bool     `json:"several_pdfs"`
	Preview     *preview `json:"preview,omitempty"`
}

// preview is a dry run's company, which stands in no table.
type preview struct {
	Company Company
	Files   []File
}

// Intake takes a draft in: links and deck link at once, the rest by workers. The company, its files and the work are committed
// together, then the queue is told. A refusal names form fields, or is NotFound or Forbidden for the account; whatever the error,
// nothing of the draft is kept, its uploads included.
func (s *Service) Intake(ctx context.Context, user uuid.UUID, d Draft) error {
	err := d.validate()
	if err == nil {
		err = s.take(ctx, user, d)
	}
	if err != nil {
		s.Discard(ctx, d.CompanyID, d.Files)
	}
	return err
}

func (s *Service) take(ctx context.Context, user uuid.UUID, d Draft) error {
	if err := s.DB.As(ctx, user, func(tx *postgres.Tx) error { return mayTake(tx, d) }); err != nil {
		return err
	}
	company, files, todo := s.prepare(user, d)
	if d.DryRun {
		todo.Preview = &preview{Company: company, Files: files}
		return s.DB.As(ctx, user, func(tx *postgres.Tx) error { return s.addWork(tx, d, WorkPreview, todo) })
	}
	if err := s.keep(ctx, d.CompanyID, d.Files); err != nil {
		return err
	}
	err := s.DB.As(ctx, user, func(tx *postgres.Tx) error {
		if err := mayTake(tx, d); err != nil { // again: membership may have ended while the files were copied
			return err
		}
		if err := insert(tx, company, files); err != nil {
			return err
		}
		return s.addWork(tx, d, WorkAnalyse, todo)
	})
	if err != nil {
		s.unkeep(ctx, d.CompanyID, d.Files)
		return err
	}
	s.Discard(ctx, d.CompanyID, d.Files)
	return nil
}

// mayTake checks the account, then that the status is one of its stages.
func mayTake(tx *postgres.Tx, d Draft) error {
	if _, err := account.RequireMember(tx, d.AccountID); err != nil {
		return err
	}
	if d.StatusID == nil {
		return nil
	}
	return requireStatus(tx, d.AccountID, *d.StatusID)
}

func requireStatus(tx *postgres.Tx, accountID, statusID uuid.UUID) error {
	var found bool
	err := tx.Raw("SELECT EXISTS (SELECT 1 FROM company_statuses WHERE account_id = ? AND id = ?)", accountID, statusID).Scan(&found).Error
	if err == nil && !found {
		return fault.Field("company_status_id", "is no status of this account")
	}
	return err
}

// prepare finds the links and makes the rows.
func (s *Service) prepare(user uuid.UUID, d Draft) (Company, []File, order) {
	links := s.Links.Links(d.Text)
	deckURL, reason := s.Decks.Pick(d.Text, links)
	todo := order{
		Links: links, DeckURL: deckURL, DeckReason: reason,
		NameGiven: d.Name != "", StatusGiven: d.StatusID != nil, SourceGiven: d.Source != "",
	}
	company := Company{
		ID: d.CompanyID, AccountID: d.AccountID, Name: d.Name, Visibility: d.Visibility, Source: d.Source, SourceContent: &d.Text,
		Notes: d.Notes, CompanyStatusID: d.StatusID, Metadata: d.Metadata, CreatedBy: user, UpdatedBy: user,
	}
	if deckURL != "" {
		company.DeckLink = &deckURL
	}
	if company.Name == "" {
		company.Name = s.Rules.FallbackName(d.Text, links)
	}
	if company.Source == "" {
		company.Source = "manual"
	}
	if len(company.Metadata) == 0 {
		company.Metadata = json.RawMessage(`{}`)
	}
	files := makeFiles(user, d)
	for i, file := range files {
		if file.Role == RoleDeck {
			company.DeckStoragePath = files[i].StoragePath
		}
		todo.SeveralPDFs = todo.SeveralPDFs || file.Role == RoleUndecided
	}
	return company, files, todo
}

func makeFiles(user uuid.UUID, d Draft) []File {
	files := make([]File, len(d.Files))
	for i, role := range roles(d.Files) {
		up, key := d.Files[i], storedKey(d.CompanyID, d.Files[i].ID)
		if d.DryRun {
			key = incomingKey(d.CompanyID, up.ID)
		}
		files[i] = File{
			ID: up.ID, AccountID: d.AccountID, CompanyID: d.CompanyID, Role: role, AttachmentType: TypeFile, Position: up.Position,
			Title: up.FileName, StoragePath: &key, SizeBytes: &up.Size, MediaType: &up.MediaType, OriginalFilename: &up.FileName,
			SHA256: &up.SHA256, CreatedBy: user,
		}
	}
	return files
}

func insert(tx *postgres.Tx, company Company, files []File) error {
	if err := tx.Omit("CreatedAt", "UpdatedAt").Create(&company).Error; err != nil {
		if errors.Is(err, gorm.ErrForeignKeyViolated) {
			return fault.Field("company_status_id", "is no status of this account").Because(err)
		}
		return fmt.Errorf("store the company: %w", err)
	}
	if len(files) > 0 {
		if err := tx.Omit("CreatedAt", "UpdatedAt").Create(&files).Error; err != nil {
			return fmt.Errorf("store the company's files: %w", err)
		}
	}
	return activity.Record(tx, company.AccountID, activity.CompanyAdded, "Company "+company.Name+" was added", &company.ID)
}

func (s *Service) addWork(tx *postgres.Tx, d Draft, kind string, todo order) error {
	item, err := orderItem(d, kind, todo)
	if err != nil {
		return err
	}
	return s.Work.Add(tx, item)
}

func orderItem(d Draft, kind string, todo order) (work.Item, error) {
	input, err := json.Marshal(todo)
	if err != nil {
		return work.Item{}, fmt.Errorf("encode the order: %w", err)
	}
	return work.Item{
		ID: d.WorkID, Kind: kind, Queue: work.Interactive, AccountID: d.AccountID, SubjectID: &d.CompanyID, MaxAttempts: analysisAttempts,
		Input: input, Waiter: d.Waiter, RequestID: d.RequestID,
	}, nil
}
