package companies

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/idempotency"
	"dealflow/internal/notify"
	"dealflow/internal/work"
)

// outcomeTimeout bounds what is done even for a client that has hung up: reading the result, and deleting what a dry
// run stored.
const outcomeTimeout = 15 * time.Second

// AnalyseAgain starts another analysis of a company, and answers as CreateByAI does.
func (h *Handlers) AnalyseAgain(c *gin.Context, caller account.Caller) error {
	id := route.PathID(c, "id")
	again := aicreation.Draft{CompanyID: id, WorkID: uuid.New(), Waiter: h.Hub.Channel(), RequestID: route.RequestID(c)}
	idempotency.Remember(c.Request.Context(), creationReference{CompanyID: id, WorkID: again.WorkID})
	waiter := h.Hub.Register(again.WorkID.String())
	defer waiter.Close()
	if err := h.Creations.Again(c.Request.Context(), caller.UserID, again); err != nil {
		return err
	}
	return h.answerCreation(c, caller, waiter, again, work.QueuePosition{})
}

// creationReference is kept with an Idempotency-Key: the answer to an AI creation can be made again from it.
type creationReference struct {
	CompanyID uuid.UUID `json:"company_id"`
	WorkID    uuid.UUID `json:"work_id"`
}

// RecallAICreation answers a repeated request for an AI creation or another analysis whose first answer was lost.
// reference is the creationReference of the first request. It waits for the analysis as the first request did.
func (h *Handlers) RecallAICreation(c *gin.Context, reference json.RawMessage) error {
	var made creationReference
	if err := json.Unmarshal(reference, &made); err != nil {
		return fmt.Errorf("read the reference of an AI creation: %w", err)
	}
	caller, _ := route.Caller(c)
	waiter := h.Hub.Register(made.WorkID.String())
	defer waiter.Close()
	draft := aicreation.Draft{CompanyID: made.CompanyID, WorkID: made.WorkID}
	return h.answerCreation(c, caller, waiter, draft, work.QueuePosition{})
}

// answerCreation waits for an analysis (see wait), and answers with what is stored of the company then.
func (h *Handlers) answerCreation(
	c *gin.Context, caller account.Caller, waiter *notify.Waiter, draft aicreation.Draft, position work.QueuePosition,
) error {
	out, err := h.outcome(c, caller, waiter, draft, position)
	if err != nil {
		return err
	}
	return respond.OK(c, h.showCreated(out))
}

// outcome waits for an analysis (see wait), and returns what is stored of the company then. It goes on after the client
// has hung up, for at most outcomeTimeout, since it deletes what a dry run stored.
func (h *Handlers) outcome(
	c *gin.Context, caller account.Caller, waiter *notify.Waiter, draft aicreation.Draft, position work.QueuePosition,
) (aicreation.Created, error) {
	h.wait(c.Request.Context(), waiter, position)
	h.Stopping.LeaveConnection(c)
	// This goes on after the client has hung up, since what a dry run stored must be deleted in any case.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request.Context()), outcomeTimeout)
	defer cancel()
	return h.Creations.Created(ctx, caller.UserID, draft)
}

// wait returns when the analysis is over, the client has hung up, AnalysisWait has passed, or the process is to stop.
// It also returns as soon as the analysis will probably begin only after AnalysisWait. What is stored of the company
// shows whether it was analyzed.
func (h *Handlers) wait(ctx context.Context, waiter *notify.Waiter, position work.QueuePosition) {
	long := time.NewTimer(h.AnalysisWait)
	defer long.Stop()
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for h.Load.Delay(position) <= h.AnalysisWait {
		select {
		case <-again.C:
			continue
		case <-waiter.Done():
			h.Load.Ended(position)
		case <-ctx.Done():
		case <-long.C:
		case <-h.Stopping:
		}
		return
	}
}
