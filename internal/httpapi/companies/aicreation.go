package companies

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/upload"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/idempotency"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// CreateByAI creates a company from a form, whose files are stored while they arrive. It answers with the company when
// its analysis is over, or in its present state if wait returns earlier. The errors are those of receive, storeDraft
// and aicreation.Service.Created.
func (h *Handlers) CreateByAI(c *gin.Context, caller account.Caller) error {
	draft, err := h.receive(c, caller, h.creationForm())
	if err != nil {
		return err
	}
	out, err := h.createAndWait(c, caller, draft)
	if err != nil {
		return err
	}
	return respond.OK(c, h.showCreated(out))
}

// receive reads the form of an AI creation and stores its files while they arrive; createAndWait stores the draft that
// it returns. The files of the draft are in the order of their positions. The errors are those of request.OpenForm,
// limits.Admission.Enter, request.Form.Read and draftOf. After an error it removes the files that were stored.
func (h *Handlers) receive(c *gin.Context, caller account.Caller, shape request.FormShape) (aicreation.Draft, error) {
	ctx, companyID := c.Request.Context(), postgres.NewID()
	form, err := request.OpenForm(c.Writer, c.Request, shape)
	if err != nil {
		return aicreation.Draft{}, err
	}
	leave, err := h.Admission.Enter(caller.UserID)
	if err != nil {
		return aicreation.Draft{}, err
	}
	defer leave()
	var uploads []upload.File
	form.Store = func(position int, fileName string, r io.Reader) error {
		up, err := h.Creations.Uploads.Receive(ctx, companyID, position, fileName, r)
		if err == nil {
			uploads = append(uploads, up)
		}
		return err
	}
	var draft aicreation.Draft
	if err = form.Read(); err == nil {
		draft, err = draftOf(form)
	}
	if err != nil {
		h.Creations.Uploads.Discard(ctx, companyID, uploads)
		return aicreation.Draft{}, err
	}
	slices.SortFunc(uploads, func(x, y upload.File) int { return x.Position - y.Position })
	draft.CompanyID, draft.WorkID, draft.Files = companyID, postgres.NewID(), uploads
	return draft, nil
}

// createAndWait stores the draft of a company, waits for its analysis (see wait), and returns the company in its state
// after that. The errors are those of storeDraft and outcome.
func (h *Handlers) createAndWait(
	c *gin.Context, caller account.Caller, draft aicreation.Draft,
) (aicreation.Created, error) {
	draft.Waiter, draft.RequestID = h.Hub.Channel(), route.RequestID(c)
	if draft.DryRun {
		idempotency.Repeatable(c.Request.Context())
	} else {
		idempotency.Remember(c.Request.Context(), creationReference{CompanyID: draft.CompanyID, WorkID: draft.WorkID})
	}
	waiter := h.Hub.Register(draft.WorkID.String()) // before a worker can be done
	defer waiter.Close()
	position, err := h.storeDraft(c, caller.UserID, draft)
	if err != nil {
		return aicreation.Created{}, err
	}
	return h.outcome(c, caller, waiter, draft, position)
}

// storeDraft waits for a slot of Admission, stores a draft, and returns the position of its analysis in the queue. If
// it gets no slot, the error is that of Admission.Store; otherwise it is that of aicreation.Service.Create. After an
// error the draft's files are removed, unless the error is postgres.ErrOutcomeUnknown.
func (h *Handlers) storeDraft(c *gin.Context, user uuid.UUID, draft aicreation.Draft) (work.QueuePosition, error) {
	done, err := h.Admission.Store(c.Request.Context())
	if err != nil {
		h.Creations.Uploads.Discard(c.Request.Context(), draft.CompanyID, draft.Files)
		return work.QueuePosition{}, err
	}
	defer done()
	position := h.Load.Enter(draft.AccountID)
	defer h.Load.Stored(draft.AccountID)
	draft.Queue = position.Queue
	return position, h.Creations.Create(c.Request.Context(), user, draft)
}

// creationReference is stored with an Idempotency-Key, so that the answer to an AI creation can be built again.
type creationReference struct {
	CompanyID uuid.UUID `json:"company_id"`
	WorkID    uuid.UUID `json:"work_id"`
}

// RecallAICreation answers a repeated request for an AI creation or another analysis whose first answer was lost.
// reference is the creationReference of the first request. RecallAICreation waits for the analysis as the first request
// did.
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
