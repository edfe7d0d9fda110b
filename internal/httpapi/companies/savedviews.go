package companies

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/postgres"
	"dealflow/internal/savedview"
)

// Directions in which a list is sorted.
const (
	ascending  = "asc"
	descending = "desc"
)

// wireView is a saved view; its filters are those of the list of companies.
type wireView struct {
	ID              uuid.UUID `json:"id"`
	AccountID       uuid.UUID `json:"account_id"`
	Name            string    `json:"name"`
	Shared          bool      `json:"shared"`
	Search          string    `json:"search"`
	CompanyStatusID *string   `json:"company_status_id"` // noStatus for companies without a status
	Source          *string   `json:"source"`
	SortBy          string    `json:"sort_by"`
	SortOrder       string    `json:"sort_order"`
	Columns         []string  `json:"columns"`
	CreatedBy       uuid.UUID `json:"created_by"`
	CreatedAt       *string   `json:"created_at"`
	UpdatedAt       *string   `json:"updated_at"`
}

func showView(v savedview.View) wireView {
	shown := wireView{
		ID: v.ID, AccountID: v.AccountID, Name: v.Name, Shared: v.Shared, Search: v.Search, SortBy: v.SortBy,
		SortOrder: descending, Columns: v.Columns, CreatedBy: v.CreatedBy, CreatedAt: wire.Time(v.CreatedAt),
		UpdatedAt: wire.Time(v.UpdatedAt),
	}
	switch {
	case v.NoStatus:
		shown.CompanyStatusID = new(noStatus)
	case v.CompanyStatusID != nil:
		shown.CompanyStatusID = new(v.CompanyStatusID.String())
	}
	if v.Source != "" {
		shown.Source = &v.Source
	}
	if v.Ascending {
		shown.SortOrder = ascending
	}
	return shown
}

// ListViews answers with a page of the saved views of an account that the caller sees, the oldest first. The errors are
// those of the query (see request.Query) and of savedview.Service.List.
func (h *Handlers) ListViews(c *gin.Context, who *postgres.Identity) error {
	return respond.List(h.Reader, c, who, "account_id", "saved_views", h.SavedViews.List, showView)
}

// CreateView creates a saved view of the caller. A member that the body does not have gets its default: newest first,
// the usual columns, not shared, no filter. name is required. The errors are those of the body (see request.Object) and
// of savedview.Service.Create.
func (h *Handlers) CreateView(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	change := readView(body)
	in := savedview.Draft{
		Name: body.RequiredText("name"), Shared: body.Flag("shared"), Search: body.OptionalText("search"),
		Source: body.OptionalText("source"), SortBy: company.SortCreated,
		Ascending: change.Ascending != nil && *change.Ascending, Columns: savedview.UsualColumns(),
	}
	if change.SortBy != nil {
		in.SortBy = *change.SortBy
	}
	if change.Status != nil {
		in.CompanyStatusID, in.NoStatus = change.Status.ID, change.Status.None
	}
	if change.Columns != nil {
		in.Columns = *change.Columns
	}
	if err := body.Err(in.Check); err != nil {
		return err
	}
	return respond.Made(c, caller, "saved_view", h.SavedViews.Create, in, showView)
}

// readView reads the members of a saved view that the body has. Members that the body does not have are nil; a source
// of null becomes "". It records in body, as invalid, values of a wrong type, an empty source and an unknown sort
// order, but does not check the rest.
func readView(body *request.Object) savedview.Change {
	change := savedview.Change{
		Name: body.Text("name"), Shared: body.Boolean("shared"), Search: body.Text("search"), SortBy: body.Text("sort_by"),
	}
	if source := body.ClearableText("source"); source != nil {
		change.Source = new("")
		if *source != nil {
			change.Source = *source
			if **source == "" {
				body.Refuse("source", "is empty: leave it out for any")
			}
		}
	}
	if body.Sent("company_status_id") {
		change.Status = readStatus(body)
	}
	if order := body.Text("sort_order"); order != nil {
		change.Ascending = new(*order == ascending)
		if *order != ascending && *order != descending {
			body.Refuse("sort_order", "must be asc or desc")
		}
	}
	if columns := body.Texts("columns"); columns != nil {
		change.Columns = &columns
	}
	return change
}

// readStatus reads the status by which a view filters companies: an id, noStatus, or null for no filter. It records any
// other value in body as invalid.
func readStatus(body *request.Object) *savedview.Status {
	if text := body.Text("company_status_id"); text != nil && *text == noStatus {
		return &savedview.Status{None: true}
	}
	return &savedview.Status{ID: body.ID("company_status_id")}
}

// ChangeView changes the members of a saved view that the body has. null clears the filters source and
// company_status_id; no other member may be null. The errors are those of the body (see request.Object) and of
// savedview.Service.Change.
func (h *Handlers) ChangeView(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	body.NotNull("name", "shared", "search", "sort_by", "sort_order", "columns")
	change := readView(body)
	if err := body.Err(change.Check); err != nil {
		return err
	}
	return respond.Record(c, caller, "id", "saved_view", respond.With(h.SavedViews.Change, change), showView)
}

// DeleteView deletes a saved view. The error is Forbidden if the caller sees the view but may not change it, and
// otherwise that of savedview.Service.Delete.
func (h *Handlers) DeleteView(c *gin.Context, caller account.Caller) error {
	return respond.Removed(c, caller, "id", "Saved view deleted", h.SavedViews.Delete)
}
