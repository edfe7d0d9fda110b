package httpapi

import (
	"encoding/json"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	forms "dealflow/internal/form"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/wire"
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

// wireCounted is the page of a list that is counted.
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

// integration reads the filter, which also takes the names of the products behind it.
func integration(params *request.Query) string {
	switch given := params.Choice("integration_type", "", forms.IntegrationA, forms.IntegrationB, forms.Manual, "tally",
		"typeform"); given {
	case "tally":
		return forms.IntegrationA
	case "typeform":
		return forms.IntegrationB
	default:
		return given
	}
}

func (a *API) listSubmissions(c *gin.Context) error {
	params := request.ReadQuery(c.Request)
	column, ascending := params.Order()
	q := forms.ListQuery{
		SortBy: forms.SortBy(column), Ascending: ascending, CompanyID: params.ID("company_id"),
		Processed:       params.Flag("processed"),
		IntegrationType: integration(params), UpdatedSince: params.UpdatedSince(),
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
	found, next, total, err := a.Forms.List(c.Request.Context(), identityOf(c), accountID, q)
	if err != nil {
		return err
	}
	limit := int64(q.Limit)
	return a.ok(c, gin.H{
		"submissions": showAll(found, showSubmission),
		"pagination": wireCounted{
			Page: q.Number, Limit: q.Limit, Total: total, TotalPages: (total + limit - 1) / limit, NextCursor: page.Cursor(next),
		},
	})
}

func (a *API) createSubmission(c *gin.Context) error {
	body, err := a.readObject(c)
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
	return answerMade(a, c, "submission", a.Forms.Create, in, showSubmission)
}

func (a *API) getSubmission(c *gin.Context) error {
	return readRecord(a, c, recordOf{"submission_id", "submission"}, a.Forms.Get, showSubmission)
}

// changeSubmission changes only what the body names; null clears what may be empty.
func (a *API) changeSubmission(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	body.NotNull("processed", "metadata")
	changes := forms.Changes{
		CompanyID: nullable(body, "company_id", body.ID),
		Processed: body.Boolean("processed"), Metadata: body.Metadata(),
	}
	if err := body.Err(nil); err != nil {
		return err
	}
	return answerRecord(a, c, recordOf{"submission_id", "submission"}, with(a.Forms.Update, changes), showSubmission)
}
