package companies

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"dealflow/internal/company"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/postgres"
)

// Create creates a company from the members of the body, of which account_id and name are required. The company is not
// analyzed. The errors are those of the body (see request.Object) and of company.Service.Create.
func (h *Handlers) Create(c *gin.Context, who *postgres.Identity) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	in := company.NewCompany{Change: companyChange(body), SourceContent: body.Text("source_content")}
	for _, name := range []string{"account_id", "name"} {
		body.RequiredText(name)
	}
	if id := body.ID("account_id"); id != nil {
		in.AccountID = *id
	}
	if err := body.Err(in.Check); err != nil {
		return err
	}
	return respond.Once(c, http.StatusCreated, func(ctx context.Context) (company.View, error) {
		return h.Companies.Create(ctx, who, in)
	}, func(made company.View) any { return gin.H{"company": showCompany(made)} })
}
