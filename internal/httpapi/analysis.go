package httpapi

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

// getAnalysis answers with what the last analysis of a company found and what of it is to be reviewed; null where
// none is kept.
func (a *API) getAnalysis(c *gin.Context) error {
	id, err := pathID(c, "id")
	if err != nil {
		return err
	}
	return a.tellAnalysis(c, id)
}

// reviewAnalysis takes what somebody has looked at off what is to be reviewed.
func (a *API) reviewAnalysis(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	body.NotNull("reviewed")
	looked := body.Texts("reviewed")
	if err := body.Err(nil); err != nil {
		return err
	}
	id, err := pathID(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	if err := a.Companies.Confirm(c.Request.Context(), caller.UserID, id, looked); err != nil {
		return err
	}
	return a.tellAnalysis(c, id)
}

func (a *API) tellAnalysis(c *gin.Context, id uuid.UUID) error {
	kept, err := a.Companies.Findings(c.Request.Context(), identityOf(c), id)
	if err != nil || kept == nil {
		if err == nil {
			err = a.ok(c, gin.H{"analysis": nil})
		}
		return err
	}
	return a.ok(c, gin.H{"analysis": showAnalysis(*kept)})
}
