package httpapi

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/fault"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/wire"
)

// wireAttachment is an attachment of a company.
type wireAttachment struct {
	ID               uuid.UUID `json:"id"`
	CompanyID        uuid.UUID `json:"company_id"`
	AccountID        uuid.UUID `json:"account_id"`
	AttachmentType   string    `json:"attachment_type"`
	Title            string    `json:"title"`
	Description      *string   `json:"description"`
	FilePath         *string   `json:"file_path"`
	LinkURL          *string   `json:"link_url"`
	FileSizeBytes    *int64    `json:"file_size_bytes"`
	FileMimeType     *string   `json:"file_mime_type"`
	OriginalFilename *string   `json:"original_filename"`
	CreatedAt        *string   `json:"created_at"`
	UpdatedAt        *string   `json:"updated_at"`
}

func showAttachment(f company.File) wireAttachment {
	return wireAttachment{
		ID: f.ID, CompanyID: f.CompanyID, AccountID: f.AccountID, AttachmentType: f.AttachmentType, Title: f.Title,
		Description: f.Description,
		FilePath:    f.StoragePath, LinkURL: f.LinkURL, FileSizeBytes: f.SizeBytes, FileMimeType: f.MediaType,
		OriginalFilename: f.OriginalFilename,
		CreatedAt:        wire.Time(f.CreatedAt), UpdatedAt: wire.Time(f.UpdatedAt),
	}
}

func (a *API) listAttachments(c *gin.Context) error {
	return answerList(a, c, "id", "attachments", a.Companies.Attachments, showAttachment)
}

// attachmentForm is the form of an attachment: one file, or a link, and what is said of it.
func (a *API) attachmentForm() request.FormShape {
	names := []string{"title", "account_id", "description", "link_url"}
	return request.FormShape{
		Names: names, FileAt: func(name string) (int, bool) { return 0, name == "file" }, HowFile: "send the file as file",
		FilePrefix: filePrefix, Limit: a.MaxFileSize + int64(len(names))*request.MaxField + request.FormOverhead,
	}
}

// attach takes a form in as it arrives. The path is looked at last, as everywhere: until then the file lies under an
// id that may be nobody's.
func (a *API) attach(c *gin.Context) error {
	id, wrongPath := pathID(c, "id")
	in, leave, err := a.receiveAttachment(c, id, wrongPath, a.attachmentForm())
	if err != nil {
		return err
	}
	defer leave()
	caller, _ := callerOf(c)
	return answerOnce(a, c, http.StatusCreated, func(ctx context.Context) (company.File, error) {
		return a.Companies.Attach(ctx, caller.UserID, in)
	}, func(file company.File) any { return gin.H{"attachment": showAttachment(file)} })
}

// readAttachment reads the fields into a request. It refuses every one whose form is wrong; the rest is for the domain
// to say.
func readAttachment(f *request.Form, in *company.NewAttachment) error {
	in.AccountID, in.LinkURL = f.ID("account_id"), f.NotBlank("link_url")
	in.Title, in.Description = f.Text("title"), f.Text("description")
	return f.Err(nil)
}

func (a *API) detach(c *gin.Context) error {
	id, fileID, err := attachmentPath(c)
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	if err := a.Companies.Detach(c.Request.Context(), caller.UserID, id, fileID); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "Attachment deleted"})
}

// downloadAttachment answers with a URL that needs no key.
func (a *API) downloadAttachment(c *gin.Context) error {
	params := request.ReadQuery(c.Request)
	expires := a.expiry(params)
	if err := params.Err(); err != nil {
		return err
	}
	id, fileID, err := attachmentPath(c)
	if err != nil {
		return err
	}
	file, err := a.Companies.Attachment(c.Request.Context(), identityOf(c), id, fileID)
	if err != nil {
		return err
	}
	url := a.fileURL(file, expires)
	if url == nil {
		return fault.New(fault.NotFound, "no_file",
			fault.Detail{Field: "attachment_id", Message: "this attachment is a link, see its link_url"})
	}
	return a.ok(c, gin.H{"download_url": *url, "expires_at": wire.Time(expires)})
}

func attachmentPath(c *gin.Context) (id, fileID uuid.UUID, err error) {
	if id, err = pathID(c, "id"); err != nil {
		return id, fileID, err
	}
	fileID, err = pathID(c, "attachment_id")
	return id, fileID, err
}
