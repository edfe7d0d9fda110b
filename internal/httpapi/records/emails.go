// Package records answers the requests for emails, form submissions and meeting minutes.
package records

import (
	"context"
	"encoding/json"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/email"
	forms "dealflow/internal/form"
	"dealflow/internal/httpapi/files"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/meeting"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// Handlers answer the requests for emails, form submissions and meeting minutes.
type Handlers struct {
	Emails   *email.Service
	Forms    *forms.Service
	Meetings *meeting.Service
	Files    *files.Handlers
	Reader   request.Reader
}

// wireEmail is an email in a list.
type wireEmail struct {
	ID               uuid.UUID `json:"id"`
	AccountID        uuid.UUID `json:"account_id"`
	FromEmail        string    `json:"from_email"`
	Subject          *string   `json:"subject"`
	ContentPreview   string    `json:"content_preview"`
	Tags             []string  `json:"tags"`
	Processed        bool      `json:"processed"`
	AttachmentsCount int       `json:"attachments_count"`
	CreatedAt        *string   `json:"created_at"`
}

// wireWholeEmail is a single email as it is sent, with the members that lists leave out.
type wireWholeEmail struct {
	wireEmail

	ToEmails    []string              `json:"to_emails"`
	Content     string                `json:"content"`
	CompanyIDs  []uuid.UUID           `json:"company_ids"`
	Metadata    json.RawMessage       `json:"metadata"`
	UpdatedAt   *string               `json:"updated_at"`
	Attachments []wireEmailAttachment `json:"attachments"`
}

type wireEmailAttachment struct {
	ID          uuid.UUID `json:"id"`
	EmailID     uuid.UUID `json:"email_id"`
	Filename    string    `json:"filename"`
	ContentType string    `json:"content_type"`
	Size        int64     `json:"size"`
	StoragePath string    `json:"storage_path"`
	DownloadURL string    `json:"download_url"`
	CreatedAt   *string   `json:"created_at"`
}

// Version returns the email without its signed URLs, which change with time. The version in the ETag, with which
// If-Match is compared, is computed from the result.
func (w wireWholeEmail) Version() any {
	w.Attachments = append([]wireEmailAttachment{}, w.Attachments...)
	for i := range w.Attachments {
		w.Attachments[i].DownloadURL = ""
	}
	return w
}

func showEmail(e email.Email) wireEmail {
	return wireEmail{
		ID: e.ID, AccountID: e.AccountID, FromEmail: e.FromEmail, Subject: e.Subject, ContentPreview: e.ContentPreview,
		Tags:      e.Tags,
		Processed: e.Processed, AttachmentsCount: e.AttachmentsCount, CreatedAt: wire.Time(e.CreatedAt),
	}
}

func (h *Handlers) showWholeEmail(v email.View) wireWholeEmail {
	shown := wireWholeEmail{
		wireEmail: showEmail(v.Email), ToEmails: v.ToEmails, Content: v.Content, CompanyIDs: v.CompanyIDs,
		Metadata:  v.Metadata,
		UpdatedAt: wire.Time(v.UpdatedAt), Attachments: make([]wireEmailAttachment, len(v.Attachments)),
	}
	expires := h.Files.StepExpiry()
	for i, file := range v.Attachments {
		shown.Attachments[i] = wireEmailAttachment{
			ID: file.ID, EmailID: file.EmailID, Filename: file.Filename, ContentType: file.ContentType, Size: file.SizeBytes,
			StoragePath: file.StoragePath, DownloadURL: h.Files.Signer.URL(file.StoragePath, file.Filename, expires),
			CreatedAt: wire.Time(file.CreatedAt),
		}
	}
	return shown
}

// EmailVersion returns the version, for its ETag, of an email, which must be an email.View.
func (h *Handlers) EmailVersion(current any) (string, error) {
	return respond.Version(current, h.showWholeEmail)
}

// ListEmails answers with a page of the emails of an account that match the filters in the query, sorted as
// request.Query.Order reads it. The errors are those of the query (see request.Query) and of email.Service.List.
func (h *Handlers) ListEmails(c *gin.Context, who *postgres.Identity) error {
	return respond.Filtered(h.Reader, c, who, "emails", h.filterEmails, showEmail)
}

func (h *Handlers) filterEmails(params *request.Query) respond.ListPage[email.Email] {
	column, ascending := params.Order()
	q := email.ListQuery{
		SortBy: email.SortBy(column), Ascending: ascending, Search: params.Words("search"),
		FromEmail: params.Exact("from_email", email.MaxAddress),
		CompanyID: params.ID("company_id"), Processed: params.Flag("processed"), Tag: params.Exact("tag", email.MaxTag),
		UpdatedSince: params.UpdatedSince(),
	}
	return func(
		ctx context.Context, who *postgres.Identity, accountID uuid.UUID, page paging.Page,
	) ([]email.Email, *paging.Position, error) {
		q.Page = page
		return h.Emails.List(ctx, who, accountID, q)
	}
}

// GetEmail answers with an email and its attachments, each with a signed URL. The errors are those of
// email.Service.Get.
func (h *Handlers) GetEmail(c *gin.Context, who *postgres.Identity) error {
	return respond.Read(c, who, "email_id", "email", h.Emails.Get, h.showWholeEmail)
}

// ChangeEmail changes the tags and companies of an email, and whether it is processed, if the body has them. None of
// these members may be null. It answers as GetEmail does. The errors are those of the body (see request.Object) and of
// email.Service.Update.
func (h *Handlers) ChangeEmail(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	body.NotNull("processed", "tags", "company_ids")
	changes := email.Changes{Processed: body.Boolean("processed"), CompanyIDs: body.IDs("company_ids")}
	if tags := body.Texts("tags"); tags != nil {
		changes.Tags = &tags
	}
	if err := body.Err(changes.Check); err != nil {
		return err
	}
	return respond.Record(c, caller, "email_id", "email", respond.With(h.Emails.Update, changes), h.showWholeEmail)
}
