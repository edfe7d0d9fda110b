package companies

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/findings"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/idempotency"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// GetAnalysis answers with what the last analysis of a company found, and with the fields that are still to be
// reviewed. If no analysis is stored, analysis in the answer is null. The errors are those of company.Service.Findings.
func (h *Handlers) GetAnalysis(c *gin.Context, who *postgres.Identity) error {
	return h.tellAnalysis(c, route.PathID(c, "id"))
}

// ReviewAnalysis marks as reviewed the fields that the member "reviewed" of the body lists, and answers as GetAnalysis
// does. It ignores names that are not among the fields to be reviewed. The errors are those of the body (see
// request.Object) and of company.Service.Confirm.
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
	if err != nil {
		return err
	}
	return respond.Thing(c, "analysis", showFindings(kept))
}

// AnalyseAgain starts another analysis of a company, waits for it, and answers as CreateByAI does. The error is
// Conflict if an analysis of the company waits or runs, and otherwise that of aicreation.Service.Again.
func (h *Handlers) AnalyseAgain(c *gin.Context, caller account.Caller) error {
	id := route.PathID(c, "id")
	again := aicreation.Draft{
		CompanyID: id, WorkID: postgres.NewID(), Waiter: h.Hub.Channel(), RequestID: route.RequestID(c),
	}
	idempotency.Remember(c.Request.Context(), creationReference{CompanyID: id, WorkID: again.WorkID})
	waiter := h.Hub.Register(again.WorkID.String())
	defer waiter.Close()
	if err := h.Creations.Again(c.Request.Context(), caller.UserID, again); err != nil {
		return err
	}
	return h.answerCreation(c, caller, waiter, again, work.QueuePosition{})
}

// AnalysisVersion returns the version, for its ETag, of a company's stored analysis, which must be a
// *findings.Analysis.
func (h *Handlers) AnalysisVersion(current any) (string, error) {
	return respond.Version(current, showFindings)
}

// showFindings returns an analysis as it is shown, or nil if kept is nil.
func showFindings(kept *findings.Analysis) *wireAnalysis {
	if kept == nil {
		return nil
	}
	shown := showAnalysis(*kept)
	return &shown
}
