package companies

import (
	"context"
	"time"

	"github.com/gin-gonic/gin"

	"dealflow/internal/account"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/wakeup"
	"dealflow/internal/work"
)

// outcomeTimeout bounds the steps that also run after the client has hung up: reading the result, and deleting what a
// dry run stored.
const outcomeTimeout = 15 * time.Second

// answerCreation waits for an analysis (see wait), and answers with the company in its state after that.
func (h *Handlers) answerCreation(
	c *gin.Context, caller account.Caller, waiter *wakeup.Waiter, draft aicreation.Draft, position work.QueuePosition,
) error {
	out, err := h.outcome(c, caller, waiter, draft, position)
	if err != nil {
		return err
	}
	return respond.OK(c, h.showCreated(out))
}

// outcome waits for an analysis (see wait), and returns the company in its state after that. If the client has hung up,
// it continues after the wait for at most outcomeTimeout, since it deletes what a dry run stored. The errors are those
// of aicreation.Service.Created.
func (h *Handlers) outcome(
	c *gin.Context, caller account.Caller, waiter *wakeup.Waiter, draft aicreation.Draft, position work.QueuePosition,
) (aicreation.Created, error) {
	h.wait(c.Request.Context(), waiter, position)
	h.Stopping.LeaveConnection(c)
	// This goes on after the client has hung up, since what a dry run stored must be deleted in any case.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request.Context()), outcomeTimeout)
	defer cancel()
	return h.Creations.Created(ctx, caller.UserID, draft)
}

// wait returns when the analysis is over, the client has hung up, AnalysisWait has passed, or the process is to stop.
// It also returns as soon as so much other work waits that the analysis will probably not begin within AnalysisWait.
// What is stored of the company shows whether it was analyzed.
func (h *Handlers) wait(ctx context.Context, waiter *wakeup.Waiter, position work.QueuePosition) {
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
