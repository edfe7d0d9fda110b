package records

import (
	"context"
	"encoding/json"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/meeting"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// wireMinutes are meeting minutes.
type wireMinutes struct {
	ID          uuid.UUID       `json:"id"`
	AccountID   uuid.UUID       `json:"account_id"`
	Title       string          `json:"title"`
	Content     *string         `json:"content"`
	CompanyID   *uuid.UUID      `json:"company_id"`
	MeetingDate *string         `json:"meeting_date"`
	Attendees   []string        `json:"attendees"`
	Processed   bool            `json:"processed"`
	Metadata    json.RawMessage `json:"metadata"`
	CreatedAt   *string         `json:"created_at"`
	UpdatedAt   *string         `json:"updated_at"`
}

func showMinutes(m meeting.Minutes) wireMinutes {
	return wireMinutes{
		ID: m.ID, AccountID: m.AccountID, Title: m.Title, Content: m.Content, CompanyID: m.CompanyID, Attendees: m.Attendees,
		MeetingDate: wire.TimeOrNull(m.MeetingDate), Processed: m.Processed, Metadata: m.Metadata,
		CreatedAt: wire.Time(m.CreatedAt), UpdatedAt: wire.Time(m.UpdatedAt),
	}
}

// MinutesVersion returns the version, for their ETag, of meeting minutes, which must be meeting.Minutes.
func (h *Handlers) MinutesVersion(current any) (string, error) {
	return respond.Version(current, showMinutes)
}

// ListMinutes answers with a page of the meeting minutes of an account that the caller sees and that match the filters
// in the query, the newest first. The errors are those of the query (see request.Query) and of meeting.Service.List.
func (h *Handlers) ListMinutes(c *gin.Context, who *postgres.Identity) error {
	return respond.Filtered(h.Reader, c, who, "meeting_minutes", h.filterMinutes, showMinutes)
}

func (h *Handlers) filterMinutes(params *request.Query) respond.ListPage[meeting.Minutes] {
	q := meeting.ListQuery{
		CompanyID: params.ID("company_id"), Processed: params.Flag("processed"), UpdatedSince: params.UpdatedSince(),
	}
	return func(
		ctx context.Context, who *postgres.Identity, accountID uuid.UUID, page paging.Page,
	) ([]meeting.Minutes, *paging.Position, error) {
		q.Page = page
		return h.Meetings.List(ctx, who, accountID, q)
	}
}

// CreateMinutes adds meeting minutes to an account. Only title is required. The errors are those of the body (see
// request.Object) and of meeting.Service.Create.
func (h *Handlers) CreateMinutes(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	in := meeting.Draft{
		Title: body.RequiredText("title"), Content: body.Text("content"), CompanyID: body.ID("company_id"),
		MeetingDate: body.Timestamp("meeting_date"), Attendees: body.Texts("attendees"), Metadata: body.Metadata(),
	}
	if err := body.Err(in.Check); err != nil {
		return err
	}
	return respond.Made(c, caller, "meeting_minutes", h.Meetings.Create, in, showMinutes)
}

// GetMinutes answers with meeting minutes. The errors are those of meeting.Service.Get.
func (h *Handlers) GetMinutes(c *gin.Context, who *postgres.Identity) error {
	return respond.Read(c, who, "meeting_minutes_id", "meeting_minutes", h.Meetings.Get, showMinutes)
}

// ChangeMinutes changes those values of meeting minutes that the body has. null clears a value; title, attendees,
// processed and metadata may not be null. The errors are those of the body (see request.Object) and of
// meeting.Service.Update.
func (h *Handlers) ChangeMinutes(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	body.NotNull("title", "attendees", "processed", "metadata")
	changes := meeting.Changes{
		Title:       body.Text("title"),
		Content:     request.Nullable(body, "content", body.Text),
		CompanyID:   request.Nullable(body, "company_id", body.ID),
		MeetingDate: request.Nullable(body, "meeting_date", body.Timestamp),
		Processed:   body.Boolean("processed"), Metadata: body.Metadata(),
	}
	if attendees := body.Texts("attendees"); attendees != nil {
		changes.Attendees = &attendees
	}
	if err := body.Err(changes.Check); err != nil {
		return err
	}
	return respond.Record(c, caller, "meeting_minutes_id", "meeting_minutes", respond.With(h.Meetings.Update, changes),
		showMinutes)
}

// DeleteMinutes deletes meeting minutes. The errors are those of meeting.Service.Delete.
func (h *Handlers) DeleteMinutes(c *gin.Context, caller account.Caller) error {
	return respond.Removed(c, caller, "meeting_minutes_id", "Meeting minutes deleted", h.Meetings.Delete)
}
