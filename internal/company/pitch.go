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
	"dealflow/internal/postgres"
)

// CreateFromPitch stores a draft and adds the work of analysing it: links and the deck link are found at once, the rest
// by workers. The company, its files and the work are committed together, then the queue is told. A refusal names form
// fields, or is NotFound or Forbidden for the account. After an error nothing of the draft is kept, its uploads
// included, unless it is postgres.ErrOutcomeUnknown.
func (s *Service) CreateFromPitch(ctx context.Context, user uuid.UUID, d Draft) error {
	err := d.Check()
	if err == nil && (d.DryRun || len(d.Files) > 0) { // before files are kept
		err = s.db.As(ctx, user, func(tx *postgres.Tx) error {
			mayTake(tx, d)
			return nil
		})
	}
	if err != nil {
		s.Discard(ctx, d.CompanyID, d.Files)
		return err
	}
	company, files, todo := s.Rows(user, d)
	if d.DryRun {
		return s.preview(ctx, user, d, company, files, todo)
	}
	return s.keeping(ctx, user, d.CompanyID, d.Files, func(tx *postgres.Tx) error {
		mayTake(tx, d) // also where it was asked before: membership may have ended while the files were kept
		if err := Insert(tx, company, files); err != nil {
			return err
		}
		return s.addWork(tx, d, WorkAnalyse, todo)
	})
}

// preview adds the work of a dry run, whose files stay where they came in until Created.
func (s *Service) preview(ctx context.Context, user uuid.UUID, d Draft, company Company, files []File, todo AnalysisInput) error {
	todo.Preview = &Preview{Company: company, Files: files}
	err := s.db.Write(ctx, user, func(tx *postgres.Tx) error { return s.addWork(tx, d, WorkPreview, todo) })
	if postgres.Undone(err) {
		s.Discard(ctx, d.CompanyID, d.Files)
	}
	return err
}

// mayTake ends the transaction before it commits where the user is no member of the account, or the status is none of
// its stages.
func mayTake(tx *postgres.Tx, d Draft) {
	account.CheckMember(tx, d.AccountID)
	if d.StatusID != nil {
		postgres.Ask(tx, isStage, "SELECT EXISTS (SELECT 1 FROM company_statuses WHERE account_id = $1 AND id = $2)", d.AccountID, *d.StatusID)
	}
}

// Rows finds the links in a draft and returns the rows that it makes, and what its analysis is to know.
func (s *Service) Rows(user uuid.UUID, d Draft) (Company, []File, AnalysisInput) {
	found := s.outline(d.Text)
	todo := AnalysisInput{
		Links: found.Links, DeckURL: found.DeckURL, DeckReason: found.DeckReason,
		NameGiven: d.Name != "", StatusGiven: d.StatusID != nil, SourceGiven: d.Source != "",
	}
	company := Company{
		ID: d.CompanyID, AccountID: d.AccountID, Name: d.Name, Visibility: d.Visibility, Source: d.Source, SourceContent: &d.Text,
		Notes: d.Notes, CompanyStatusID: d.StatusID, Metadata: d.Metadata, CreatedBy: user, UpdatedBy: user,
	}
	if found.DeckURL != "" {
		company.DeckLink = &found.DeckURL
	}
	if company.Name == "" {
		company.Name = found.FallbackName()
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
			key = IncomingKey(d.CompanyID, up.ID)
		}
		files[i] = File{
			ID: up.ID, AccountID: d.AccountID, CompanyID: d.CompanyID, Role: role, AttachmentType: TypeFile, Position: up.Position,
			Title: up.FileName, StoragePath: &key, SizeBytes: &up.Size, MediaType: &up.MediaType, OriginalFilename: &up.FileName,
			SHA256: &up.SHA256, CreatedBy: user,
		}
	}
	return files
}

// Insert puts off the rows of a company and its files.
func Insert(tx *postgres.Tx, company Company, files []File) error {
	tx.Put(company.insertion().Failing(func(err error) error {
		if errors.Is(err, gorm.ErrForeignKeyViolated) {
			return NoStage()
		}
		return err
	}))
	if len(files) > 0 {
		if err := tx.Later(func(db *gorm.DB) *gorm.DB { return db.Omit("CreatedAt", "UpdatedAt").Create(&files) }, nil); err != nil {
			return fmt.Errorf("store the company's files: %w", err)
		}
	}
	return activity.Record(tx, company.AccountID, activity.CompanyAdded, "Company "+company.Name+" was added", &company.ID)
}
