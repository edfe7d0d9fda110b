package companies

import (
	"context"
	"io"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company"
	"dealflow/internal/company/attachment"
	"dealflow/internal/company/upload"
	"dealflow/internal/fault"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/postgres"
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

// ListAttachments answers with a page of the attachments of a company, in their order. The errors are those of the
// query (see request.Query) and of attachment.Service.List.
func (h *Handlers) ListAttachments(c *gin.Context, who *postgres.Identity) error {
	return respond.List(h.Reader, c, who, "id", "attachments", h.Attachments.List, showAttachment)
}

// attachmentForm returns the shape of an attachment's form: one file or a link, and its account, title and description.
func (h *Handlers) attachmentForm() request.FormShape {
	names := []string{"title", "account_id", "description", "link_url"}
	return request.FormShape{
		Names: names, FileAt: func(name string) (int, bool) { return 0, name == "file" }, HowFile: "send the file as file",
		FilePrefix: filePrefix, Limit: h.MaxFileSize + int64(len(names))*request.MaxField + request.FormOverhead,
	}
}

// Attach adds an attachment to a company. Its file is stored while it arrives, before it is checked that the company
// exists and that the caller may change it. If this check fails, the file is removed. The errors are those of
// receiveAttachment and attachment.Service.Attach.
func (h *Handlers) Attach(c *gin.Context, caller account.Caller) error {
	in, leave, err := h.receiveAttachment(c, caller, route.PathID(c, "id"), h.attachmentForm())
	if err != nil {
		return err
	}
	defer leave()
	return respond.Once(c, http.StatusCreated, func(ctx context.Context) (company.File, error) {
		return h.Attachments.Attach(ctx, caller.UserID, in)
	}, func(file company.File) any { return gin.H{"attachment": showAttachment(file)} })
}

// readAttachment reads the fields of a form into in. The error is InvalidBody if a value is malformed, such as an id
// that is not a UUID, or if the link is blank. It does not check the draft otherwise.
func readAttachment(f *request.Form, in *attachment.Draft) error {
	in.AccountID, in.LinkURL = f.ID("account_id"), f.NotBlank("link_url")
	in.Title, in.Description = f.Text("title"), f.Text("description")
	return f.Err(nil)
}

// Detach deletes an attachment of a company, with its stored file. The errors are those of attachment.Service.Detach.
func (h *Handlers) Detach(c *gin.Context, caller account.Caller) error {
	id, fileID := route.PathID(c, "id"), route.PathID(c, "attachment_id")
	if err := h.Attachments.Detach(c.Request.Context(), caller.UserID, id, fileID); err != nil {
		return err
	}
	return respond.Message(c, "Attachment deleted")
}

// DownloadAttachment answers with a signed URL of an attachment's file; opening the URL needs no key. The parameter
// expires_in is read by files.Handlers.Expiry. The error is NotFound with the code no_file if the attachment is a link,
// and otherwise that of the query (see request.Query) or of attachment.Service.Get.
func (h *Handlers) DownloadAttachment(c *gin.Context, who *postgres.Identity) error {
	params := request.ReadQuery(c.Request)
	expires := h.Files.Expiry(params)
	if err := params.Err(); err != nil {
		return err
	}
	id, fileID := route.PathID(c, "id"), route.PathID(c, "attachment_id")
	file, err := h.Attachments.Get(c.Request.Context(), who, id, fileID)
	if err != nil {
		return err
	}
	url := h.Files.URL(file, expires)
	if url == nil {
		return fault.New(fault.NotFound, "no_file",
			fault.Detail{Field: "attachment_id", Message: "this attachment is a link, see its link_url"})
	}
	return respond.OK(c, gin.H{"download_url": *url, "expires_at": wire.Time(expires)})
}

// receiveAttachment reads the form of an attachment, stores its file, and waits for a slot of Admission. The caller
// must call leave once. The errors are those of request.OpenForm, request.Form.Read, attachment.Service.Receive,
// readAttachment and limits.Admission. After an error the file is removed and leave is nil.
func (h *Handlers) receiveAttachment(
	c *gin.Context, caller account.Caller, id uuid.UUID, shape request.FormShape,
) (in attachment.Draft, leave func(), err error) {
	form, err := request.OpenForm(c.Writer, c.Request, shape)
	if err != nil {
		return in, nil, err
	}
	left, err := h.Admission.Enter(caller.UserID)
	if err != nil {
		return in, nil, err
	}
	ctx := c.Request.Context()
	in = attachment.Draft{CompanyID: id, RequestID: route.RequestID(c)}
	form.Store = func(_ int, fileName string, r io.Reader) error {
		up, err := h.Attachments.Receive(ctx, id, fileName, r)
		if err == nil {
			in.Upload = &up
		}
		return err
	}
	if err = form.Read(); err == nil {
		err = readAttachment(form, &in)
	}
	var done func()
	if err == nil {
		done, err = h.Admission.Store(ctx)
	}
	if err != nil {
		h.discardAttachment(ctx, in)
		left()
		return in, nil, err
	}
	return in, func() { done(); left() }, nil
}

func (h *Handlers) discardAttachment(ctx context.Context, in attachment.Draft) {
	if in.Upload != nil {
		h.Creations.Uploads.Discard(ctx, in.CompanyID, []upload.File{*in.Upload})
	}
}
