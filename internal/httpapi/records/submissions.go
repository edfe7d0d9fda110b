package records

import (
	"encoding/json"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	forms "dealflow/internal/form"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// wireSubmission is a form submission; its data is what was sent.
type wireSubmission struct {
	ID              uuid.UUID       `json:"id"`
	AccountID       uuid.UUID       `json:"account_id"`
	Data            json.RawMessage `json:"data"`
	CompanyID       *uuid.UUID      `json:"company_id"`
	IntegrationType string          `json:"integration_type"`
	Metadata        json.RawMessage `json:"metadata"`
	Processed       bool            `json:"processed"`
	CreatedAt       *string         `json:"created_at"`
	UpdatedAt       *string         `json:"updated_at"`
}

// wireCounted is the pagination of a list whose rows are counted.
type wireCounted struct {
	Page       int     `json:"page"`
	Limit      int     `json:"limit"`
	Total      int64   `json:"total"`
	TotalPages int64   `json:"total_pages"`
	NextCursor *string `json:"next_cursor"`
}

func showSubmission(s forms.Submission) wireSubmission {
	return wireSubmission{
		ID: s.ID, AccountID: s.AccountID, Data: s.Data, CompanyID: s.CompanyID, IntegrationType: s.IntegrationType,
		Metadata:  s.Metadata,
		Processed: s.Processed, CreatedAt: wire.Time(s.CreatedAt), UpdatedAt: wire.Time(s.UpdatedAt),
	}
}

// SubmissionVersion returns the version, for its ETag, of a form submission, which must be a forms.Submission.
func (h *Handlers) SubmissionVersion(current any) (string, error) {
	return respond.Version(current, showSubmission)
}

// integration reads the filter "integration_type"; "" if it was not sent. Besides the types that forms.Types returns,
// it accepts the names of form tools, such as "tally" for forms.IntegrationA. It records any other value in params as
// invalid.
func integration(params *request.Query) string {
	given := params.Choice("integration_type", "", append(forms.Types(), forms.ToolNames()...)...)
	if tool, found := forms.ToolNamed(given); found {
		return tool.IntegrationType
	}
	return given
}

// ListSubmissions answers with a page of the form submissions of an account that the caller sees and that match the
// filters in the query, sorted as request.Query.Order reads it, and with the number of submissions and pages. The
// errors are those of the query (see request.Query) and of forms.Service.List.
func (h *Handlers) ListSubmissions(c *gin.Context, who *postgres.Identity) error {
	params := request.ReadQuery(c.Request)
	column, ascending := params.Order()
	q := forms.ListQuery{
		SortBy: forms.SortBy(column), Ascending: ascending, CompanyID: params.ID("company_id"),
		Processed:       params.Flag("processed"),
		IntegrationType: integration(params), UpdatedSince: params.UpdatedSince(),
	}
	page := params.Page(h.Reader.CursorKeys)
	if err := params.Err(); err != nil {
		return err
	}
	accountID := route.PathID(c, "account_id")
	var total int64
	list := func(part paging.Page) (found []forms.Submission, next *paging.Position, err error) {
		q.Page = part
		found, next, total, err = h.Forms.List(c.Request.Context(), who, accountID, q)
		return found, next, err
	}
	return respond.Paged(c, "submissions", page.Page, list, showSubmission, func(next *paging.Position) any {
		limit := int64(page.Limit)
		return wireCounted{
			Page: page.Number, Limit: page.Limit, Total: total, TotalPages: (total + limit - 1) / limit,
			NextCursor: page.Cursor(next),
		}
	})
}

// CreateSubmission adds a form submission, as one that was entered by hand. Only data is required. The errors are those
// of the body (see request.Object) and of forms.Service.Create.
func (h *Handlers) CreateSubmission(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	in := forms.Draft{CompanyID: body.ID("company_id"), Metadata: body.Metadata()}
	data, sent := body.Value("data")
	if in.Data = data; !sent {
		body.Refuse("data", "is required")
	}
	if err := body.Err(in.Check); err != nil {
		return err
	}
	return respond.Made(c, caller, "submission", h.Forms.Create, in, showSubmission)
}

// GetSubmission answers with a form submission. The errors are those of forms.Service.Get.
func (h *Handlers) GetSubmission(c *gin.Context, who *postgres.Identity) error {
	return respond.Read(c, who, "submission_id", "submission", h.Forms.Get, showSubmission)
}

// ChangeSubmission changes the company and the metadata of a form submission, and whether it is processed, if the body
// has them. null clears the company; the other members may not be null. The errors are those of the body (see
// request.Object) and of forms.Service.Update.
func (h *Handlers) ChangeSubmission(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	body.NotNull("processed", "metadata")
	changes := forms.Changes{
		CompanyID: request.Nullable(body, "company_id", body.ID),
		Processed: body.Boolean("processed"), Metadata: body.Metadata(),
	}
	if err := body.Err(nil); err != nil {
		return err
	}
	return respond.Record(c, caller, "submission_id", "submission", respond.With(h.Forms.Update, changes), showSubmission)
}
