package httpapi

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/pipeline"
)

// wireStatus is a stage in a list.
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

// wireStage is a stage where it was made, and inside a company.
type wireStage struct {
	ID         uuid.UUID `json:"id"`
	StatusText string    `json:"status_text"`
	Color      string    `json:"color"`
	Rank       int       `json:"rank"`
}

func showStage(s pipeline.Status) wireStage {
	return wireStage{ID: s.ID, StatusText: s.Name, Color: s.Color, Rank: s.Rank}
}

// listStatuses answers with the bare array of the specification: what is said of the page comes beside it.
func (a *API) listStatuses(c *gin.Context) error {
	params := request.ReadQuery(c.Request)
	page := params.WholePage(a.Secrets)
	if err := params.Err(); err != nil {
		return err
	}
	accountID, err := pathID(c, "account_id")
	if err != nil {
		return err
	}
	found, next, err := a.Pipelines.List(c.Request.Context(), identityOf(c), accountID, page.Page)
	if err != nil {
		return err
	}
	answer := a.envelope(c, showAll(found, showStatus))
	answer.Pagination = page.Pagination(next)
	return writeJSON(c, http.StatusOK, answer)
}

func showStatus(s pipeline.Status) wireStatus {
	return wireStatus{
		ID: s.ID, AccountID: s.AccountID, Name: s.Name, Color: s.Color, Description: s.Description, Rank: s.Rank,
		IsDefault: s.IsDefault, CreatedAt: wire.Time(s.CreatedAt),
	}
}

// createStatus refuses wrong fields before it looks at the account, as everywhere.
func (a *API) createStatus(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	in := pipeline.NewStatus{
		Name: body.RequiredText("name"), Color: body.Text("color"), Description: body.Text("description"),
		Rank: body.Integer("rank"),
	}
	if err := body.Err(func() error { return a.Pipelines.CheckNew(in) }); err != nil {
		return err
	}
	accountID, err := pathID(c, "account_id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	return answerOnce(a, c, http.StatusCreated, func(ctx context.Context) (pipeline.Status, error) {
		return a.Pipelines.Create(ctx, caller.UserID, accountID, in)
	}, func(made pipeline.Status) any { return showStage(made) })
}

func (a *API) changeStatus(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	body.NotNull("name", "color", "rank", "is_default")
	in := pipeline.StatusChange{
		Name: body.Text("name"), Color: body.Text("color"), Description: body.ClearableText("description"),
		Rank:      body.Integer("rank"),
		IsDefault: body.Boolean("is_default"),
	}
	if err := body.Err(func() error { return a.Pipelines.CheckChange(in) }); err != nil {
		return err
	}
	accountID, id, err := recordIDs(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	status, err := a.Pipelines.Change(c.Request.Context(), caller.UserID, accountID, id, in)
	if err != nil {
		return err
	}
	return a.ok(c, showStage(status))
}

func (a *API) deleteStatus(c *gin.Context) error {
	parameters := request.ReadQuery(c.Request)
	moveTo := parameters.ID("move_to")
	if err := parameters.Err(); err != nil {
		return err
	}
	accountID, id, err := recordIDs(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	if err := a.Pipelines.Delete(c.Request.Context(), caller.UserID, accountID, id, moveTo); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "Status deleted"})
}
