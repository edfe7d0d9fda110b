package httpapi

import (
	"encoding/json"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/meeting"
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
	shown := wireMinutes{
		ID: m.ID, AccountID: m.AccountID, Title: m.Title, Content: m.Content, CompanyID: m.CompanyID, Attendees: m.Attendees,
		Processed: m.Processed, Metadata: m.Metadata, CreatedAt: wire.Time(m.CreatedAt), UpdatedAt: wire.Time(m.UpdatedAt),
	}
	if m.MeetingDate != nil {
		shown.MeetingDate = wire.Time(*m.MeetingDate)
	}
	return shown
}

func (a *API) listMinutes(c *gin.Context) error {
	params := request.ReadQuery(c.Request)
	q := meeting.ListQuery{
		CompanyID: params.ID("company_id"), Processed: params.Flag("processed"), UpdatedSince: params.UpdatedSince(),
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
	found, next, err := a.Meetings.List(c.Request.Context(), identityOf(c), accountID, q)
	if err != nil {
		return err
	}
	return a.ok(c, gin.H{"meeting_minutes": showAll(found, showMinutes), "pagination": page.Pagination(next)})
}

func (a *API) createMinutes(c *gin.Context) error {
	body, err := a.readObject(c)
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
	return answerMade(a, c, "meeting_minutes", a.Meetings.Create, in, showMinutes)
}

func (a *API) getMinutes(c *gin.Context) error {
	return readRecord(a, c, recordOf{"meeting_minutes_id", "meeting_minutes"}, a.Meetings.Get, showMinutes)
}

// changeMinutes changes only what the body names; null clears what may be empty.
func (a *API) changeMinutes(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	body.NotNull("title", "attendees", "processed", "metadata")
	changes := meeting.Changes{
		Title:       body.Text("title"),
		Content:     nullable(body, "content", body.Text),
		CompanyID:   nullable(body, "company_id", body.ID),
		MeetingDate: nullable(body, "meeting_date", body.Timestamp),
		Processed:   body.Boolean("processed"), Metadata: body.Metadata(),
	}
	if attendees := body.Texts("attendees"); attendees != nil {
		changes.Attendees = &attendees
	}
	if err := body.Err(changes.Check); err != nil {
		return err
	}
	return answerRecord(a, c, recordOf{"meeting_minutes_id", "meeting_minutes"}, with(a.Meetings.Update, changes),
		showMinutes)
}

func (a *API) deleteMinutes(c *gin.Context) error {
	accountID, id, err := recordIDs(c, "meeting_minutes_id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	if err := a.Meetings.Delete(c.Request.Context(), caller.UserID, accountID, id); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "Meeting minutes deleted"})
}
