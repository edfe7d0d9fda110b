package aicreation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"dealflow/internal/company"
	"dealflow/internal/company/findings"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// Kinds of work that analyze a company: see AnalysisItem. WorkPreview is the analysis of a dry run.
const (
	WorkAnalyse = "company.analyse"
	WorkPreview = "company.preview"
	WorkReread  = "company.reread" // a repeated analysis, after one that could not read PDFs for a temporary reason
)

// AnalysisInput is the input of an analysis in addition to the stored company: which values the client gave, so that
// they are not detected, and what Create found in the text at once.
type AnalysisInput struct {
	Links       []string `json:"links"`
	DeckURL     string   `json:"deck_url"`
	DeckReason  string   `json:"deck_reason"`
	NameGiven   bool     `json:"name_given"`
	StatusGiven bool     `json:"status_given"`
	SourceGiven bool     `json:"source_given"`
	SeveralPDFs bool     `json:"several_pdfs"`       // the analysis decides which PDF is the deck
	Replaces    []string `json:"replaces,omitempty"` // metadata members that the last analysis wrote
	Rereads     int      `json:"rereads,omitempty"`  // how often the analysis was repeated because PDFs could not be read
	Preview     *Preview `json:"preview,omitempty"`
}

// Preview is the company of a dry run with its files, which are not stored in any table.
type Preview struct {
	Company company.Company
	Files   []company.File
}

// AnalysisResult is what a worker stores in the work row: the analysis and, after a dry run, the company as it would
// have been.
type AnalysisResult struct {
	Analysis findings.Analysis `json:"analysis"`
	Preview  *Preview          `json:"preview,omitempty"`
}

func (s *Service) addWork(tx *postgres.Tx, d Draft, kind string, todo AnalysisInput) error {
	item, err := AnalysisItem(d, kind, todo)
	if err != nil {
		return err
	}
	return s.Work.Add(tx, item)
}

// AnalysisItem returns the work item that analyzes a draft, for the interactive queue unless the draft names another.
// kind is WorkAnalyse, WorkPreview or WorkReread. The caller must add the item.
func AnalysisItem(d Draft, kind string, todo AnalysisInput) (work.Item, error) {
	input, err := json.Marshal(todo)
	if err != nil {
		return work.Item{}, fmt.Errorf("encode the input of an analysis: %w", err)
	}
	return work.Item{
		ID: d.WorkID, Kind: kind, Queue: cmp.Or(d.Queue, work.Interactive), AccountID: d.AccountID, SubjectID: &d.CompanyID,
		MaxAttempts: work.AnalysisAttempts,
		Input:       input, Waiter: d.Waiter, RequestID: d.RequestID,
	}, nil
}

// decode returns the result of the analysis from its work row. If the analysis is not done, the Analysis in the result
// is what Unfinished returns, and the Preview is the one in the input. The zero Item counts as work that is not done.
func decode(item work.Item) (AnalysisResult, error) {
	var todo AnalysisInput
	if len(item.Input) > 0 {
		if err := json.Unmarshal(item.Input, &todo); err != nil {
			return AnalysisResult{}, fmt.Errorf("read the input of an analysis: %w", err)
		}
	}
	if item.State == work.Done {
		var done AnalysisResult
		if err := json.Unmarshal(item.Result, &done); err != nil {
			return AnalysisResult{}, fmt.Errorf("read the result: %w", err)
		}
		return done, nil
	}
	return AnalysisResult{Analysis: Unfinished(item, todo), Preview: todo.Preview}, nil
}

// Unfinished returns the analysis to show for work that waits, runs, or has failed for good.
func Unfinished(item work.Item, todo AnalysisInput) findings.Analysis {
	reason := "The analysis goes on; its result is written to the company when it is done."
	if item.State == work.Failed {
		reason = "The analysis failed and was given up; the company is stored as it was sent."
	}
	links := todo.Links
	if links == nil {
		links = []string{}
	}
	return findings.Analysis{
		DetectedURLs: links, SelectedDeckURL: todo.DeckURL, AIReasoning: strings.TrimSpace(todo.DeckReason + " " + reason),
		StatusReasoning: reason, SourceReasoning: reason,
	}
}
