package aicreation

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company"
	"dealflow/internal/company/upload"
	"dealflow/internal/postgres"
)

// Create stores the company and the files of a draft and adds the work of analyzing them, in one transaction. It looks
// for links and a deck link in the text. For a dry run it stores only the work.
//
// The error is InvalidBody if a member of the draft is invalid or the account has no such status, NotFound if there is
// no such account, and Forbidden if the user is not a member of it. After an error nothing of the draft is kept, its
// uploads included, unless the error is postgres.ErrOutcomeUnknown.
func (s *Service) Create(ctx context.Context, user uuid.UUID, d Draft) error {
	err := d.Check()
	checks := mayCreate(d)
	if err == nil && !d.DryRun && len(d.Files) > 0 { // before files are kept
		err = s.DB.Read(ctx, postgres.AsUser(user), checks...)
	}
	if err != nil {
		s.Uploads.Discard(ctx, d.CompanyID, d.Files)
		return err
	}
	made, files, todo := s.Rows(user, d)
	kind := WorkAnalyse
	if d.DryRun {
		kind, todo.Preview = WorkPreview, &Preview{Company: made, Files: files}
	}
	store := func(tx *postgres.Tx) error {
		for _, check := range checks { // checked again: the membership may have ended while the files were copied
			tx.Put(check)
		}
		if !d.DryRun {
			if err := company.Insert(tx, made, files); err != nil {
				return err
			}
		}
		return s.addWork(tx, d, kind, todo)
	}
	if !d.DryRun {
		return s.Uploads.Keeping(ctx, user, d.CompanyID, d.Files, store)
	}
	if err = s.DB.Write(ctx, user, store); postgres.Undone(err) { // otherwise Created removes the uploads
		s.Uploads.Discard(ctx, d.CompanyID, d.Files)
	}
	return err
}

// mayCreate returns queries that fail with the error of account.IsMember if the caller is not a member of the account,
// and with company.NoStage if the account has no such status. They may be run more than once.
func mayCreate(d Draft) []postgres.Query {
	checks := []postgres.Query{account.IsMember(new(string), d.AccountID)}
	if d.StatusID != nil {
		checks = append(checks, company.IsStatus(d.AccountID, *d.StatusID))
	}
	return checks
}

// Rows finds the links in a draft's text; it may wait until other texts have been searched: see New. It returns the
// rows of the company and its files, with user as their creator, and the input of the analysis. The draft must have
// passed Check.
func (s *Service) Rows(user uuid.UUID, d Draft) (company.Company, []company.File, AnalysisInput) {
	files := makeFiles(user, d)
	found := s.outline(d.Text)
	todo := AnalysisInput{
		Links: found.Links, DeckURL: found.DeckURL, DeckReason: found.DeckReason,
		NameGiven: d.Name != "", StatusGiven: d.StatusID != nil, SourceGiven: d.Source != "",
	}
	made := company.Company{
		ID: d.CompanyID, AccountID: d.AccountID, Name: d.Name, Visibility: d.Visibility, Source: d.Source,
		SourceContent: &d.Text, CompanyStatusID: d.StatusID, Metadata: d.Metadata, CreatedBy: user, UpdatedBy: user,
	}
	made.Notes = d.Notes
	if found.DeckURL != "" {
		made.DeckLink = &found.DeckURL
	}
	if made.Name == "" {
		made.Name = found.FallbackName()
	}
	if made.Source == "" {
		made.Source = "manual"
	}
	if len(made.Metadata) == 0 {
		made.Metadata = json.RawMessage(`{}`)
	}
	for i, file := range files {
		if file.Role == company.RoleDeck {
			made.DeckStoragePath = files[i].StoragePath
		}
		todo.SeveralPDFs = todo.SeveralPDFs || file.Role == company.RoleUndecided
	}
	return made, files, todo
}

func makeFiles(user uuid.UUID, d Draft) []company.File {
	files := make([]company.File, len(d.Files))
	for i, role := range roles(d.Files) {
		up, key := d.Files[i], upload.StoredKey(d.CompanyID, d.Files[i].ID)
		if d.DryRun {
			key = upload.IncomingKey(d.CompanyID, up.ID)
		}
		files[i] = company.File{
			ID: up.ID, AccountID: d.AccountID, CompanyID: d.CompanyID, Role: role, AttachmentType: company.TypeFile,
			Position: up.Position,
			Title:    up.FileName, OriginalFilename: &up.FileName,
			StoragePath: &key, SizeBytes: &up.Size, MediaType: &up.MediaType,
			SHA256: &up.SHA256, CreatedBy: user,
		}
	}
	return files
}

// roles returns the role of each upload before the analysis. A single file is the deck, whatever its type. Of several
// files, the only PDF is the deck; if there are several PDFs, they are undecided until the analysis. All other files
// are attachments.
func roles(uploads []upload.File) []string {
	given := make([]string, len(uploads))
	pdfs := 0
	for _, up := range uploads {
		if up.MediaType == company.PDF {
			pdfs++
		}
	}
	for i, up := range uploads {
		switch {
		case len(uploads) == 1, up.MediaType == company.PDF && pdfs == 1:
			given[i] = company.RoleDeck
		case up.MediaType == company.PDF:
			given[i] = company.RoleUndecided
		default:
			given[i] = company.RoleAttachment
		}
	}
	return given
}
