package httpapi

import (
	"encoding/json"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/email"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/wire"
)

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

// wireWholeEmail is an email by itself.
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

func showEmail(e email.Email) wireEmail {
	return wireEmail{
		ID: e.ID, AccountID: e.AccountID, FromEmail: e.FromEmail, Subject: e.Subject, ContentPreview: e.ContentPreview,
		Tags:      e.Tags,
		Processed: e.Processed, AttachmentsCount: e.AttachmentsCount, CreatedAt: wire.Time(e.CreatedAt),
	}
}

func (a *API) showWholeEmail(v email.View) wireWholeEmail {
	shown := wireWholeEmail{
		wireEmail: showEmail(v.Email), ToEmails: v.ToEmails, Content: v.Content, CompanyIDs: v.CompanyIDs,
		Metadata:  v.Metadata,
		UpdatedAt: wire.Time(v.UpdatedAt), Attachments: make([]wireEmailAttachment, len(v.Attachments)),
	}
	expires := a.urlExpiry()
	for i, file := range v.Attachments {
		shown.Attachments[i] = wireEmailAttachment{
			ID: file.ID, EmailID: file.EmailID, Filename: file.Filename, ContentType: file.ContentType, Size: file.SizeBytes,
			StoragePath: file.StoragePath, DownloadURL: a.Signer.URL(file.StoragePath, file.Filename, expires),
			CreatedAt: wire.Time(file.CreatedAt),
		}
	}
	return shown
}

func (a *API) listEmails(c *gin.Context) error {
	params := request.ReadQuery(c.Request)
	column, ascending := params.Order()
	q := email.ListQuery{
		SortBy: email.SortBy(column), Ascending: ascending, Search: params.Words("search"),
		FromEmail: params.Exact("from_email", email.MaxAddress),
		CompanyID: params.ID("company_id"), Processed: params.Flag("processed"), Tag: params.Exact("tag", email.MaxTag),
		UpdatedSince: params.UpdatedSince(),
	}
	page := params.Page(a.Secrets)
	q.Page = page.Page
	if err := params.Err(); err != nil {
		return err
	}
	accountID, err := pathID(c, "account_id")
	if err != nil {
		return err
	}
	found, next, err := a.Emails.List(c.Request.Context(), identityOf(c), accountID, q)
	if err != nil {
		return err
	}
	return a.ok(c, gin.H{"emails": showAll(found, showEmail), "pagination": page.Pagination(next)})
}

func (a *API) getEmail(c *gin.Context) error {
	return readRecord(a, c, recordOf{"email_id", "email"}, a.Emails.Get, a.showWholeEmail)
}

// changeEmail changes only what the body names.
func (a *API) changeEmail(c *gin.Context) error {
	body, err := a.readObject(c)
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
	return answerRecord(a, c, recordOf{"email_id", "email"}, with(a.Emails.Update, changes), a.showWholeEmail)
}
