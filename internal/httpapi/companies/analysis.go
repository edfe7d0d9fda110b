package companies

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/postgres"
)

// GetAnalysis answers with what the last analysis of a company found, and with the fields that somebody still has to
// review; null if no analysis is kept.
func (h *Handlers) GetAnalysis(c *gin.Context, who *postgres.Identity) error {
	return h.tellAnalysis(c, route.PathID(c, "id"))
}

// ReviewAnalysis notes that somebody has reviewed fields, which removes them from those that are still to be reviewed.
// It answers as GetAnalysis does.
func (h *Handlers) ReviewAnalysis(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	body.NotNull("reviewed")
	looked := body.Texts("reviewed")
	if err := body.Err(nil); err != nil {
		return err
	}
	id := route.PathID(c, "id")
	if err := h.Companies.Confirm(c.Request.Context(), caller.UserID, id, looked); err != nil {
		return err
	}
	return h.tellAnalysis(c, id)
}

func (h *Handlers) tellAnalysis(c *gin.Context, id uuid.UUID) error {
	kept, err := h.Companies.Findings(c.Request.Context(), route.Identity(c), id)
	if err != nil || kept == nil {
		if err == nil {
			err = respond.OK(c, gin.H{"analysis": nil})
		}
		return err
	}
	return respond.OK(c, gin.H{"analysis": showAnalysis(*kept)})
}
