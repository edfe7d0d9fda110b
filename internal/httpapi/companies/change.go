package companies

import (
	"github.com/gin-gonic/gin"

	"dealflow/internal/company"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/postgres"
)

// Change changes those values of a company that the body has, and answers with the changed company. null clears a
// value; name, visibility, source, metadata and assignees may not be null. With the parameter include_download_url the
// answer has a signed URL of the deck. The errors are those of the query (see request.Query), of the body (see
// request.Object) and of company.Service.Update.
func (h *Handlers) Change(c *gin.Context, who *postgres.Identity) error {
	params := request.ReadQuery(c.Request)
	withURL := params.Boolean("include_download_url")
	if err := params.Err(); err != nil {
		return err
	}
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	body.NotNull("name", "visibility", "source", "metadata", "assignees")
	change := companyChange(body)
	if err := body.Err(change.Check); err != nil {
		return err
	}
	view, err := h.Companies.Update(c.Request.Context(), who, route.PathID(c, "id"), change)
	if err != nil {
		return err
	}
	var url *string
	if withURL {
		url = h.deckURL(view, h.Files.StepExpiry())
	}
	return respond.Thing(c, "company", showCompany(view), respond.Beside{Name: "pdf_download_url", Value: url})
}

// companyChange reads the members that are the same for creating and changing a company. It records in body which
// members have a wrong type; the domain checks whether values are allowed.
func companyChange(body *request.Object) company.Change {
	change := company.Change{
		Name: body.Text("name"), Visibility: body.Text("visibility"), Source: body.Text("source"),
		Assignees: body.IDs("assignees"), StatusID: request.Nullable(body, "company_status_id", body.ID),
	}
	for _, field := range change.Plain() {
		*field.Value = request.Nullable(body, field.Name, body.Text)
	}
	if metadata, sent := body.Value("metadata"); sent {
		change.Metadata = metadata
	}
	return change
}
