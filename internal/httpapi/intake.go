package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/idempotency"
	"dealflow/internal/notify"
	"dealflow/internal/work"
)

// outcomeTimeout bounds what is still done for a client that may have gone: reading what stands, and clearing a dry
// run away.
const outcomeTimeout = 15 * time.Second

// wireIntaken is the answer to an AI creation.
type wireIntaken struct {
	Company        wireCompany  `json:"company"`
	PDFDownloadURL *string      `json:"pdfDownloadUrl,omitempty"`
	Attachments    []wireAIFile `json:"attachments"`
	Analysis       wireAnalysis `json:"analysis"`
}

// wireAIFile is an attachment in that answer.
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

// wireEvidence is what one value rests on: a stretch of the text, or words on a page of a file.
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

// createByAI takes a form in as it arrives and answers when the workers have analysed it, or when that takes too long.
func (a *API) createByAI(c *gin.Context) error {
	draft, err := a.receive(c, a.creationForm())
	if err != nil {
		return err
	}
	out, err := a.createAndWait(c, draft)
	if err != nil {
		return err
	}
	return a.ok(c, a.showIntaken(out))
}

// createAndWait creates a company and returns what stands when the workers have analyzed it, or when that takes too
// long.
func (a *API) createAndWait(c *gin.Context, draft company.Draft) (company.Created, error) {
	caller, _ := callerOf(c)
	draft.Waiter, draft.RequestID = a.Hub.Channel(), requestIDOf(c)
	a.rememberIntake(c.Request.Context(), draft)
	waiter := a.Hub.Register(draft.WorkID.String()) // before a worker can be done
	defer waiter.Close()
	place, err := a.intake(c, caller.UserID, draft)
	if err != nil {
		return company.Created{}, err
	}
	return a.outcome(c, waiter, draft, place)
}

// intake stores a draft when it is its turn, and returns the place of its analysis.
func (a *API) intake(c *gin.Context, user uuid.UUID, draft company.Draft) (work.Place, error) {
	done, err := a.admission.store(c.Request.Context())
	if err != nil {
		a.Companies.Discard(c.Request.Context(), draft.CompanyID, draft.Files)
		return work.Place{}, err
	}
	defer done()
	place := a.Load.Place(draft.AccountID)
	defer a.Load.Stored(draft.AccountID)
	draft.Queue = place.Queue
	return place, a.Companies.CreateFromPitch(c.Request.Context(), user, draft)
}

// analyseAgain has a company analyzed once more and answers as createByAI does.
func (a *API) analyseAgain(c *gin.Context) error {
	id, err := pathID(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	again := company.Draft{CompanyID: id, WorkID: uuid.New(), Waiter: a.Hub.Channel(), RequestID: requestIDOf(c)}
	a.rememberIntake(c.Request.Context(), again)
	waiter := a.Hub.Register(again.WorkID.String())
	defer waiter.Close()
	if err := a.Companies.AnalyseAgain(c.Request.Context(), caller.UserID, again); err != nil {
		return err
	}
	return a.tellIntake(c, waiter, again, work.Place{})
}

// intakeReference is by what the answer to an AI creation can be given anew.
type intakeReference struct {
	CompanyID uuid.UUID `json:"company_id"`
	WorkID    uuid.UUID `json:"work_id"`
}

func (a *API) rememberIntake(ctx context.Context, draft company.Draft) {
	if draft.DryRun {
		idempotency.Repeatable(ctx)
		return
	}
	idempotency.Remember(ctx, intakeReference{CompanyID: draft.CompanyID, WorkID: draft.WorkID})
}

// recallByAI answers for a company that a lost process took in.
func (a *API) recallByAI(c *gin.Context, reference json.RawMessage) error {
	var made intakeReference
	if err := json.Unmarshal(reference, &made); err != nil {
		return fmt.Errorf("read the reference of an AI creation: %w", err)
	}
	waiter := a.Hub.Register(made.WorkID.String())
	defer waiter.Close()
	return a.tellIntake(c, waiter, company.Draft{CompanyID: made.CompanyID, WorkID: made.WorkID}, work.Place{})
}

// tellIntake waits for the workers and answers with what stands then.
func (a *API) tellIntake(c *gin.Context, waiter *notify.Waiter, draft company.Draft, place work.Place) error {
	out, err := a.outcome(c, waiter, draft, place)
	if err != nil {
		return err
	}
	return a.ok(c, a.showIntaken(out))
}

// outcome waits for the workers and returns what stands then.
func (a *API) outcome(
	c *gin.Context, waiter *notify.Waiter, draft company.Draft, place work.Place,
) (company.Created, error) {
	a.wait(c.Request.Context(), waiter, place)
	a.leaveConnection(c)
	// A client that has gone changes nothing: a dry run must be cleared away all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request.Context()), outcomeTimeout)
	defer cancel()
	caller, _ := callerOf(c)
	return a.Companies.Created(ctx, caller.UserID, draft)
}

// wait returns when the work is over, when the client has gone, when it has waited long enough or would do so for
// nothing, or when the process is to stop; the row tells which.
func (a *API) wait(ctx context.Context, waiter *notify.Waiter, place work.Place) {
	long := time.NewTimer(a.AnalysisWait)
	defer long.Stop()
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for a.Load.Delay(place) <= a.AnalysisWait {
		select {
		case <-again.C:
			continue
		case <-waiter.Done():
			a.Load.Ended(place)
		case <-ctx.Done():
		case <-long.C:
		case <-a.Stopping:
		}
		return
	}
}

// receive reads the form and stores its files. Where it refuses, nothing stays stored.
func (a *API) receive(c *gin.Context, shape request.FormShape) (company.Draft, error) {
	ctx, companyID := c.Request.Context(), uuid.New()
	form, err := request.OpenForm(c.Writer, c.Request, shape)
	if err != nil {
		return company.Draft{}, err
	}
	caller, _ := callerOf(c)
	leave, err := a.admission.enter(caller.UserID)
	if err != nil {
		return company.Draft{}, err
	}
	defer leave()
	var uploads []company.Upload
	form.Store = func(position int, fileName string, r io.Reader) error {
		up, err := a.Companies.Receive(ctx, companyID, position, fileName, r)
		if err == nil {
			uploads = append(uploads, up)
		}
		return err
	}
	var draft company.Draft
	if err = form.Read(); err == nil {
		draft, err = draftOf(form)
	}
	if err != nil {
		a.Companies.Discard(ctx, companyID, uploads)
		return company.Draft{}, err
	}
	slices.SortFunc(uploads, func(x, y company.Upload) int { return x.Position - y.Position })
	draft.CompanyID, draft.WorkID, draft.Files = companyID, uuid.New(), uploads
	return draft, nil
}

func (a *API) showIntaken(out company.Created) wireIntaken {
	told := wireIntaken{
		Company: showCompany(out.Company), PDFDownloadURL: a.deckURL(out.Company, a.Now().Add(downloadExpiry)),
		Attachments: make([]wireAIFile, len(out.Attachments)), Analysis: showAnalysis(out.Analysis),
	}
	for i, file := range out.Attachments {
		told.Attachments[i] = wireAIFile{
			ID: wire.IDOrNull(file.ID), Title: file.Title, FilePath: file.StoragePath, AttachmentType: file.MediaType,
		}
	}
	return told
}

func showAnalysis(found company.Analysis) wireAnalysis {
	told := wireAnalysis{
		DetectedURLs: append([]string{}, found.DetectedURLs...), SelectedDeckURL: wire.TextOrNull(found.SelectedDeckURL),
		AIReasoning: found.AIReasoning, Evidence: []wireEvidence{}, NeedsReview: append([]string{}, found.NeedsReview...),
		ContextAnalysis: wireContext{
			StatusDetected: found.StatusDetected, StatusReasoning: found.StatusReasoning,
			SourceDetected: found.SourceDetected, SourceReasoning: found.SourceReasoning,
		},
	}
	if found.ProcessedAt != nil {
		told.ProcessedAt = wire.Time(*found.ProcessedAt)
	}
	for _, e := range found.Evidence {
		told.Evidence = append(told.Evidence, showEvidence(e))
	}
	return told
}

func showEvidence(e company.Evidence) wireEvidence {
	told := wireEvidence{
		Field: e.Field, Value: e.Value, Confidence: e.Confidence, Quote: e.Quote, File: wire.TextOrNull(e.File),
		Analyzer: e.Analyzer,
	}
	if e.Page > 0 {
		told.Page = &e.Page
	}
	if e.End > e.Start {
		told.Start, told.End = &e.Start, &e.End
	}
	return told
}
