package companies

import (
	"github.com/google/uuid"

	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/findings"
	"dealflow/internal/httpapi/files"
	"dealflow/internal/httpapi/wire"
)

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

// wireEvidence is the evidence for one value: a part of the text, from the character Start up to, not including, the
// character End; or words on a page of a file, counted from 1. What does not apply is null. Confidence is from 0 to 1.
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

func (h *Handlers) showCreated(made aicreation.Created) wireAICreation {
	shown := wireAICreation{
		Analysis: showAnalysis(made.Analysis), Attachments: make([]wireAIFile, len(made.Attachments)),
	}
	for i, file := range made.Attachments {
		shown.Attachments[i] = wireAIFile{
			ID: wire.IDOrNull(file.ID), Title: file.Title, FilePath: file.StoragePath, AttachmentType: file.MediaType,
		}
	}
	shown.PDFDownloadURL = h.deckURL(made.Company, h.Now().Add(files.URLLifetime))
	shown.Company = showCompany(made.Company)
	return shown
}

func showAnalysis(found findings.Analysis) wireAnalysis {
	evidence := make([]wireEvidence, len(found.Evidence))
	for i, e := range found.Evidence {
		evidence[i] = showEvidence(e)
	}
	shown := wireAnalysis{
		DetectedURLs: append([]string{}, found.DetectedURLs...), SelectedDeckURL: wire.TextOrNull(found.SelectedDeckURL),
		AIReasoning: found.AIReasoning, Evidence: evidence, NeedsReview: append([]string{}, found.NeedsReview...),
		ContextAnalysis: wireContext{
			StatusDetected: found.StatusDetected, StatusReasoning: found.StatusReasoning,
			SourceDetected: found.SourceDetected, SourceReasoning: found.SourceReasoning,
		},
	}
	if found.ProcessedAt != nil {
		shown.ProcessedAt = wire.Time(*found.ProcessedAt)
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
