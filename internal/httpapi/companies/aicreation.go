package companies

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/findings"
	"dealflow/internal/company/upload"
	"dealflow/internal/httpapi/files"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/idempotency"
	"dealflow/internal/notify"
	"dealflow/internal/work"
)

// outcomeTimeout bounds what is done even for a client that has hung up: reading the result, and deleting what a dry
// run stored.
const outcomeTimeout = 15 * time.Second

// wireAICreation is the answer to an AI creation.
type wireAICreation struct {
	Company        wireCompany  `json:"company"`
	PDFDownloadURL *string      `json:"pdfDownloadUrl,omitempty"`
	Attachments    []wireAIFile `json:"attachments"`
	Analysis       wireAnalysis `json:"analysis"`
}

// wireAIFile is an attachment in the answer to an AI creation.
type wireAIFile struct {
	ID             *uuid.UUID `json:"id"`
	Title          string     `json:"title"`
	FilePath       *string    `json:"filePath"`
	AttachmentType *string    `json:"attachmentType"` // a media type
}

type wireAnalysis struct {
	DetectedURLs    []string       `json:"detectedUrls"`
	SelectedDeckURL *string        `json:"selectedDeckUrl"`
	AIReasoning     string         `json:"aiReasoning"`
	ContextAnalysis wireContext    `json:"contextAnalysis"`
	ProcessedAt     *string        `json:"processedAt"`
	Evidence        []wireEvidence `json:"evidence"`
	NeedsReview     []string       `json:"needs_review"`
}

// wireEvidence is what one value rests on: a part of the text, from the character Start up to End, or words on a page
// of a file.
type wireEvidence struct {
	Field      string  `json:"field"`
	Value      string  `json:"value"`
	Confidence float64 `json:"confidence"`
	Quote      string  `json:"quote"`
	Start      *int    `json:"start"`
	End        *int    `json:"end"`
	Page       *int    `json:"page"`
	File       *string `json:"file"`
	Analyzer   string  `json:"analyzer"`
}

type wireContext struct {
	StatusDetected  bool   `json:"statusDetected"`
	StatusReasoning string `json:"statusReasoning"`
	SourceDetected  bool   `json:"sourceDetected"`
	SourceReasoning string `json:"sourceReasoning"`
}

// CreateByAI creates a company from a form, whose files are stored while they arrive. It answers with the company when
// its analysis is over, or as it is stored until then if wait returns earlier.
func (h *Handlers) CreateByAI(c *gin.Context, caller account.Caller) error {
	draft, err := h.receive(c, caller, h.creationForm())
	if err != nil {
		return err
	}
	out, err := h.createAndWait(c, caller, draft)
	if err != nil {
		return err
	}
	return respond.OK(c, h.showIntaken(out))
}

// createAndWait creates a company, waits for its analysis (see wait), and returns what is stored of the company then.
func (h *Handlers) createAndWait(
	c *gin.Context, caller account.Caller, draft aicreation.Draft,
) (aicreation.Created, error) {
	draft.Waiter, draft.RequestID = h.Hub.Channel(), route.RequestID(c)
	h.rememberIntake(c.Request.Context(), draft)
	waiter := h.Hub.Register(draft.WorkID.String()) // before a worker can be done
	defer waiter.Close()
	position, err := h.storeDraft(c, caller.UserID, draft)
	if err != nil {
		return aicreation.Created{}, err
	}
	return h.outcome(c, caller, waiter, draft, position)
}

// storeDraft waits for a slot of Admission, stores a draft, and returns the position of its analysis in the queue. If
// it gets no slot, it removes the draft's files and returns the error of Admission.Store.
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

// AnalyseAgain starts another analysis of a company, and answers as CreateByAI does.
func (h *Handlers) AnalyseAgain(c *gin.Context, caller account.Caller) error {
	id := route.PathID(c, "id")
	again := aicreation.Draft{CompanyID: id, WorkID: uuid.New(), Waiter: h.Hub.Channel(), RequestID: route.RequestID(c)}
	h.rememberIntake(c.Request.Context(), again)
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

func (h *Handlers) rememberIntake(ctx context.Context, draft aicreation.Draft) {
	if draft.DryRun {
		idempotency.Repeatable(ctx)
		return
	}
	idempotency.Remember(ctx, creationReference{CompanyID: draft.CompanyID, WorkID: draft.WorkID})
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
	return respond.OK(c, h.showIntaken(out))
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

// receive reads the form of an AI creation and stores its files while they arrive. The files of the draft are in the
// order of their positions. After an error it removes the files that were stored.
func (h *Handlers) receive(c *gin.Context, caller account.Caller, shape request.FormShape) (aicreation.Draft, error) {
	ctx, companyID := c.Request.Context(), uuid.New()
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
	draft.CompanyID, draft.WorkID, draft.Files = companyID, uuid.New(), uploads
	return draft, nil
}

func (h *Handlers) showIntaken(out aicreation.Created) wireAICreation {
	shown := wireAICreation{
		Company: showCompany(out.Company), PDFDownloadURL: h.deckURL(out.Company, h.Now().Add(files.URLLifetime)),
		Attachments: make([]wireAIFile, len(out.Attachments)), Analysis: showAnalysis(out.Analysis),
	}
	for i, file := range out.Attachments {
		shown.Attachments[i] = wireAIFile{
			ID: wire.IDOrNull(file.ID), Title: file.Title, FilePath: file.StoragePath, AttachmentType: file.MediaType,
		}
	}
	return shown
}

func showAnalysis(found findings.Analysis) wireAnalysis {
	shown := wireAnalysis{
		DetectedURLs: append([]string{}, found.DetectedURLs...), SelectedDeckURL: wire.TextOrNull(found.SelectedDeckURL),
		AIReasoning: found.AIReasoning, Evidence: []wireEvidence{}, NeedsReview: append([]string{}, found.NeedsReview...),
		ContextAnalysis: wireContext{
			StatusDetected: found.StatusDetected, StatusReasoning: found.StatusReasoning,
			SourceDetected: found.SourceDetected, SourceReasoning: found.SourceReasoning,
		},
	}
	if found.ProcessedAt != nil {
		shown.ProcessedAt = wire.Time(*found.ProcessedAt)
	}
	for _, e := range found.Evidence {
		shown.Evidence = append(shown.Evidence, showEvidence(e))
	}
	return shown
}

func showEvidence(e findings.Evidence) wireEvidence {
	shown := wireEvidence{
		Field: e.Field, Value: e.Value, Confidence: e.Confidence, Quote: e.Quote, File: wire.TextOrNull(e.File),
		Analyzer: e.Analyzer,
	}
	if e.Page > 0 {
		shown.Page = &e.Page
	}
	if e.End > e.Start {
		shown.Start, shown.End = &e.Start, &e.End
	}
	return shown
}
