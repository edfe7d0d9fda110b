// Package attachment keeps the files and links that are attached to companies besides their deck.
package attachment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dealflow/internal/account"
	"dealflow/internal/blank"
	"dealflow/internal/company"
	"dealflow/internal/company/upload"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/work"
)

// WorkRead is the kind of work that reads the text of an attached PDF, so that the search finds its words.
const WorkRead = "company.read"

// afterUploads is the position of every file or link that is attached after the company was created.
const afterUploads = upload.MaxFiles

// ReadInput is the input of a WorkRead.
type ReadInput struct {
	FileID uuid.UUID `json:"file_id"`
}

// Service attaches files and links to companies, and shows and removes them. It is safe for concurrent use.
type Service struct {
	db        *postgres.DB
	companies *company.Service
	uploads   *upload.Store
	work      *work.Store
}

// New returns the service.
func New(db *postgres.DB, companies *company.Service, uploads *upload.Store, work *work.Store) *Service {
	return &Service{db: db, companies: companies, uploads: uploads, work: work}
}

// Draft is an attachment that a client sends: an upload that Receive stored, or a link.
type Draft struct {
	CompanyID   uuid.UUID
	AccountID   *uuid.UUID // of the company, if the client named it
	Title       *string    // nil: the file's name, or the link
	Description *string
	Upload      *upload.File
	LinkURL     string
	RequestID   string
}

// Receive streams a file to temporary storage and returns it for Attach; if it is not attached, a sweep removes it. It
// does not check the user's rights. The error is TooLarge for a file over the limit and InvalidBody for an empty one;
// nothing of the file is kept then.
func (s *Service) Receive(ctx context.Context, companyID uuid.UUID, fileName string, r io.Reader) (upload.File,
	error,
) {
	return s.uploads.ReceiveAs(ctx, companyID, "file", afterUploads, fileName, r)
}

// Attach adds an attachment and returns it. The error is InvalidBody if members are invalid or the company is not of
// the account that the client named; that of company.Service.Get if the user does not see the company; NotFound or
// Forbidden, as for account.RequireMember, for the account that the client named. After an error the upload is removed,
// unless the error is postgres.ErrOutcomeUnknown.
func (s *Service) Attach(ctx context.Context, user uuid.UUID, in Draft) (company.File, error) {
	var uploads []upload.File
	if in.Upload != nil {
		uploads = []upload.File{*in.Upload}
	}
	file, err := in.file(user)
	if err == nil {
		err = s.db.As(ctx, user, func(tx *postgres.Tx) error { _, err := mayAttach(tx, tx.DB, in); return err })
	}
	if err != nil {
		s.uploads.Discard(ctx, in.CompanyID, uploads)
		return file, err
	}
	err = s.uploads.Keeping(ctx, user, in.CompanyID, uploads, func(tx *postgres.Tx) error {
		return s.attach(tx, in, &file)
	})
	return file, err
}

// file returns the row of the attachment without its account. The error is InvalidBody and names every invalid member.
func (in *Draft) file(user uuid.UUID) (company.File, error) {
	file := company.File{
		ID: postgres.NewID(), CompanyID: in.CompanyID, Role: company.RoleAttachment, AttachmentType: company.TypeLink,
		Position: afterUploads, Description: in.Description, CreatedBy: user,
	}
	if up := in.Upload; up != nil {
		key := upload.StoredKey(in.CompanyID, up.ID)
		file.ID, file.AttachmentType, file.Title = up.ID, company.TypeFile, up.FileName
		file.StoragePath, file.SizeBytes = &key, &up.Size
		file.MediaType, file.OriginalFilename, file.SHA256 = &up.MediaType, &up.FileName, &up.SHA256
	} else {
		file.Title, file.LinkURL = firstCharacters(in.LinkURL, company.MaxName), &in.LinkURL
	}
	var wrong []fault.Detail
	if (in.Upload == nil) == (in.LinkURL == "") {
		wrong = append(wrong, fault.Detail{Field: "file", Message: "is required: send a file, or a link_url instead"})
	}
	if in.LinkURL != "" && !company.IsLink(in.LinkURL) {
		wrong = append(wrong, fault.Detail{
			Field:   "link_url",
			Message: fmt.Sprintf("must be an http or https URL of at most %d characters", company.MaxLink),
		})
	}
	if in.Title != nil {
		file.Title = blank.Trim(*in.Title)
		if file.Title == "" {
			wrong = append(wrong, fault.Detail{Field: "title", Message: "is empty"})
		}
		if utf8.RuneCountInString(file.Title) > company.MaxName {
			wrong = append(wrong, fault.Detail{
				Field: "title", Message: fmt.Sprintf("has more than %d characters", company.MaxName),
			})
		}
	}
	if len(wrong) > 0 {
		return file, fault.New(fault.InvalidBody, "invalid_field", wrong...)
	}
	return file, nil
}

func firstCharacters(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}

func (s *Service) attach(tx *postgres.Tx, in Draft, file *company.File) error {
	// again: the company may have gone while the file was kept
	of, err := mayAttach(tx, tx.Clauses(clause.Locking{Strength: "UPDATE"}), in)
	if err != nil {
		return err
	}
	file.AccountID = of.AccountID
	if err := tx.Omit("CreatedAt", "UpdatedAt").Create(file).Error; err != nil {
		return fmt.Errorf("store the attachment: %w", err)
	}
	if err := s.readLater(tx, *file, in.RequestID); err != nil {
		return err
	}
	err = tx.First(file, "id = ?", file.ID).Error
	tx.Made(*file)
	return err
}

// mayAttach returns the company as the query reads it. It returns the same errors as company.Find. If the client named
// an account, it also returns the errors of account.RequireMember, and InvalidBody for a company of another account.
func mayAttach(tx *postgres.Tx, query *gorm.DB, in Draft) (company.Company, error) {
	if in.AccountID != nil {
		if _, err := account.RequireMember(tx, *in.AccountID); err != nil {
			return company.Company{}, err
		}
	}
	of, err := company.Find(tx, query, in.CompanyID)
	if err == nil && in.AccountID != nil && *in.AccountID != of.AccountID {
		return of, fault.Field("account_id", "is not the account of this company")
	}
	return of, err
}

// readLater adds the work of reading a PDF, so that the search finds its words. It does nothing for other files.
func (s *Service) readLater(tx *postgres.Tx, file company.File, requestID string) error {
	if file.MediaType == nil || *file.MediaType != company.PDF {
		return nil
	}
	input, err := json.Marshal(ReadInput{FileID: file.ID})
	if err != nil {
		return fmt.Errorf("encode the file to read: %w", err)
	}
	return s.work.Add(tx, work.Item{
		Kind: WorkRead, Queue: work.Interactive, AccountID: file.AccountID, SubjectID: &file.CompanyID,
		MaxAttempts: work.ReadingAttempts, Input: input, RequestID: requestID,
	})
}

// List returns a page of the files and links of a company except its deck, by their positions and then the oldest
// first, and where the next page begins, which is nil at the end. It returns the same errors as company.Service.Get.
func (s *Service) List(
	ctx context.Context, who *postgres.Identity, id uuid.UUID, page paging.Page,
) ([]company.File, *paging.Position, error) {
	order := paging.Order{Columns: []paging.Column{
		{SQL: "position", Type: "integer"},
		{SQL: "created_at", Type: "timestamptz"},
	}}
	var files []company.File
	err := s.db.Read(ctx, who, company.Seen(id), postgres.Found(s.db, &files, func(tx *gorm.DB) *gorm.DB {
		return page.Of(order)(tx.Where("company_id = ? AND role <> ?", id, company.RoleDeck)).Find(&[]company.File{})
	}).Within(page))
	if err != nil {
		return nil, nil, fmt.Errorf("list the attachments of company %s: %w", id, err)
	}
	files, next := paging.Cut(page, files, func(f *company.File) paging.Position {
		return paging.Position{Values: []string{strconv.Itoa(f.Position), paging.Moment(f.CreatedAt)}, ID: f.ID}
	})
	return files, next, nil
}

// Get returns one of a company's attachments. It returns the same errors as company.Service.Get, and NotFound if the
// company has no such attachment.
func (s *Service) Get(ctx context.Context, who *postgres.Identity, id, fileID uuid.UUID) (company.File, error) {
	var files []company.File
	err := s.db.Read(ctx, who, company.Seen(id), postgres.Found(s.db, &files, func(tx *gorm.DB) *gorm.DB {
		return tx.Where("company_id = ? AND id = ? AND role <> ?", id, fileID, company.RoleDeck).Find(&[]company.File{})
	}))
	if err != nil {
		return company.File{}, fmt.Errorf("read attachment %s: %w", fileID, err)
	}
	return postgres.One(files)
}

func attachment(tx *postgres.Tx, id, fileID uuid.UUID) (company.File, error) {
	var file company.File
	err := tx.First(&file, "company_id = ? AND id = ? AND role <> ?", id, fileID, company.RoleDeck).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return file, fault.NewNotFound()
	}
	return file, err
}

// Detach deletes an attachment with its stored file. It returns the same errors as Get.
func (s *Service) Detach(ctx context.Context, user, id, fileID uuid.UUID) error {
	return s.db.As(ctx, user, func(tx *postgres.Tx) error {
		of, err := company.Lock(tx, id)
		if err != nil {
			return err
		}
		file, err := attachment(tx, id, fileID)
		if err != nil {
			return err
		}
		if err := tx.Delete(&company.File{}, "id = ?", file.ID).Error; err != nil {
			return fmt.Errorf("delete attachment %s: %w", file.ID, err)
		}
		if file.StoragePath == nil {
			return nil
		}
		return s.companies.RemoveFiles(tx, of, []string{*file.StoragePath})
	})
}
