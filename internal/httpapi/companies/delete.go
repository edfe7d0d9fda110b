package companies

import (
	"github.com/gin-gonic/gin"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
)

// Delete deletes a company with all that belongs to it. The errors are those of company.Service.Delete.
func (h *Handlers) Delete(c *gin.Context, caller account.Caller) error {
	if err := h.Companies.Delete(c.Request.Context(), caller.UserID, route.PathID(c, "id")); err != nil {
		return err
	}
	return respond.Message(c, "Company deleted")
}
