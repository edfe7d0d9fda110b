package companies

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// wireStatus is a status in a list of statuses.
type wireStatus struct {
	ID          uuid.UUID `json:"id"`
	AccountID   uuid.UUID `json:"account_id"`
	Name        string    `json:"name"`
	Color       string    `json:"color"`
	Description *string   `json:"description"`
	Rank        int       `json:"rank"`
	IsDefault   bool      `json:"is_default"`
	CreatedAt   *string   `json:"created_at"`
}

// wireStage is a status in the answer that creates or changes it, and inside a company.
type wireStage struct {
	ID         uuid.UUID `json:"id"`
	StatusText string    `json:"status_text"`
	Color      string    `json:"color"`
	Rank       int       `json:"rank"`
}

func showStage(s pipeline.Status) wireStage {
	return wireStage{ID: s.ID, StatusText: s.Name, Color: s.Color, Rank: s.Rank}
}

// ListStatuses answers with a page of the statuses of an account, in the order of their ranks. As the specification
// requires, data is the array itself, and pagination is beside data in the envelope. The errors are those of the query
// (see request.Query) and of pipeline.Service.List.
func (h *Handlers) ListStatuses(c *gin.Context, who *postgres.Identity) error {
	params := request.ReadQuery(c.Request)
	page := params.WholePage(h.Reader.CursorKeys)
	if err := params.Err(); err != nil {
		return err
	}
	accountID := route.PathID(c, "account_id")
	list := func(part paging.Page) ([]pipeline.Status, *paging.Position, error) {
		return h.Pipelines.List(c.Request.Context(), who, accountID, part)
	}
	return respond.Paged(c, "", page.Page, list, showStatus,
		func(next *paging.Position) any { return page.Pagination(next) })
}

func showStatus(s pipeline.Status) wireStatus {
	return wireStatus{
		ID: s.ID, AccountID: s.AccountID, Name: s.Name, Color: s.Color, Description: s.Description, Rank: s.Rank,
		IsDefault: s.IsDefault, CreatedAt: wire.Time(s.CreatedAt),
	}
}

// CreateStatus adds a status to an account. As in all handlers, invalid members are refused before the account is
// looked up. The errors are those of the body (see request.Object) and of pipeline.Service.Create.
func (h *Handlers) CreateStatus(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	in := pipeline.NewStatus{
		Name: body.RequiredText("name"), Color: body.Text("color"), Description: body.Text("description"),
		Rank: body.Integer("rank"),
	}
	if err := body.Err(func() error { return h.Pipelines.CheckNew(in) }); err != nil {
		return err
	}
	accountID := route.PathID(c, "account_id")
	return respond.Once(c, http.StatusCreated, func(ctx context.Context) (pipeline.Status, error) {
		return h.Pipelines.Create(ctx, caller.UserID, accountID, in)
	}, func(made pipeline.Status) any { return showStage(made) })
}

// ChangeStatus changes those values of a status that the body has. null clears the description; no other member may be
// null. The errors are those of the body (see request.Object) and of pipeline.Service.Change.
func (h *Handlers) ChangeStatus(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	body.NotNull("name", "color", "rank", "is_default")
	in := pipeline.StatusChange{
		Name: body.Text("name"), Color: body.Text("color"), Description: body.ClearableText("description"),
		Rank:      body.Integer("rank"),
		IsDefault: body.Boolean("is_default"),
	}
	if err := body.Err(func() error { return h.Pipelines.CheckChange(in) }); err != nil {
		return err
	}
	accountID, id := route.RecordIDs(c, "id")
	status, err := h.Pipelines.Change(c.Request.Context(), caller.UserID, accountID, id, in)
	if err != nil {
		return err
	}
	return respond.OK(c, showStage(status))
}

// DeleteStatus deletes a status. If the query parameter move_to names another status, it first moves all companies of
// the deleted status to that one. Without move_to, the error is Conflict if a company has the status. Other errors are
// those of the query (see request.Query) and of pipeline.Service.Delete.
func (h *Handlers) DeleteStatus(c *gin.Context, caller account.Caller) error {
	parameters := request.ReadQuery(c.Request)
	moveTo := parameters.ID("move_to")
	if err := parameters.Err(); err != nil {
		return err
	}
	accountID, id := route.RecordIDs(c, "id")
	if err := h.Pipelines.Delete(c.Request.Context(), caller.UserID, accountID, id, moveTo); err != nil {
		return err
	}
	return respond.Message(c, "Status deleted")
}
