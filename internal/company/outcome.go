package company

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// Analysis is what AI creation answers beside the company. Its JSON form is how it is kept in the work row.
type Analysis struct {
	DetectedURLs    []string   `json:"detected_urls"`
	SelectedDeckURL string     `json:"selected_deck_url"`
	AIReasoning     string     `json:"ai_reasoning"`
	StatusDetected  bool       `json:"status_detected"`
	StatusReasoning string     `json:"status_reasoning"`
	SourceDetected  bool       `json:"source_detected"`
	SourceReasoning string     `json:"source_reasoning"`
	ProcessedAt     *time.Time `json:"processed_at"` // nil while the analysis goes on
	Evidence        []Evidence `json:"evidence"`
	NeedsReview     []string   `json:"needs_review"` // fields that were too unsure to fill, or hold only what stands in for a value
}

// Intaken is what is after an AI creation.
type Intaken struct {
	Company     View
	Attachments []File
	Analysis    Analysis
}

// result is what a worker leaves in the work row: the analysis, and for a dry run the company that would have been.
type result struct {
	Analysis Analysis `json:"analysis"`
	Preview  *preview `json:"preview,omitempty"`
}

// Outcome returns what stands now of a draft that Intake took, analysed or not. After a dry run it also removes what
// was kept for the moment; the company's ID is then uuid.Nil.
func (s *Service) Outcome(ctx context.Context, user uuid.UUID, d Draft) (Intaken, error) {
	if !d.DryRun {
		return s.storedOutcome(ctx, user, d)
	}
	defer s.Discard(ctx, d.CompanyID, d.Files)
	var out Intaken
	err := s.DB.As(ctx, user, func(tx *postgres.Tx) error {
		item, err := work.Get(tx, d.WorkID)
		if err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
			return fmt.Errorf("read the work: %w", err)
		}
		done, err := decode(item)
		if err != nil {
			return err
		}
		out.Analysis = done.Analysis
		return s.previewOutcome(tx, d.WorkID, done, &out)
	})
	return out, err
}

// storedOutcome reads all in one trip. A company that is not seen was deleted, or went out of the caller's sight,
// while they waited.
func (s *Service) storedOutcome(ctx context.Context, user uuid.UUID, d Draft) (out Intaken, err error) {
	var items []work.Item
	var rows []viewRow
	who := postgres.AsUser(user)
	attachments := postgres.Found(s.DB, &out.Attachments, func(db *gorm.DB) *gorm.DB { return attachmentsOf(db, d.CompanyID).Find(&[]File{}) })
	if err := s.DB.Read(ctx, who, work.Query(s.DB, &items, d.WorkID), viewQuery(&rows, d.CompanyID), attachments); err != nil {
		return out, fmt.Errorf("read what was taken in: %w", err)
	}
	if len(rows) == 0 {
		_, err := s.Get(ctx, who, d.CompanyID)
		return out, err
	}
	if out.Company, err = rows[0].view(); err != nil {
		return out, err
	}
	done, err := decode(append(items, work.Item{})[0])
	out.Analysis = done.Analysis
	return out, err
}

func (s *Service) previewOutcome(tx *postgres.Tx, workID uuid.UUID, done result, out *Intaken) error {
	out.Attachments = []File{}
	if done.Preview != nil {
		out.Company = View{Company: done.Preview.Company, Assignees: []account.User{}}
		if err := loadStatus(tx, &out.Company); err != nil {
			return err
		}
		out.Company.ID, out.Company.DeckStoragePath = uuid.Nil, nil
		out.Attachments = done.Preview.attachments()
	}
	return work.Drop(tx, workID)
}

// attachments returns the files that would be attachments, in the order of attachmentsOf, without what they have only
// once they are stored.
func (p *preview) attachments() []File {
	files := []File{}
	for _, file := range p.Files {
		if file.Role != RoleDeck {
			file.ID, file.StoragePath = uuid.Nil, nil
			files = append(files, file)
		}
	}
	return files
}

// decode reads what a work row tells of the analysis, whatever its state.
func decode(item work.Item) (result, error) {
	var todo order
	if len(item.Input) > 0 {
		if err := json.Unmarshal(item.Input, &todo); err != nil {
			return result{}, fmt.Errorf("read the order: %w", err)
		}
	}
	if item.State == work.Done {
		var done result
		if err := json.Unmarshal(item.Result, &done); err != nil {
			return result{}, fmt.Errorf("read the result: %w", err)
		}
		return done, nil
	}
	return result{Analysis: unfinished(item, todo), Preview: todo.Preview}, nil
}

// unfinished is the analysis of work that goes on, or that failed for good.
func unfinished(item work.Item, todo order) Analysis {
	reason := "The analysis goes on; its result is written to the company when it is done."
	if item.State == work.Failed {
		reason = "The analysis failed and was given up; the company is stored as it was sent."
	}
	links := todo.Links
	if links == nil {
		links = []string{}
	}
	return Analysis{
		DetectedURLs: links, SelectedDeckURL: todo.DeckURL, AIReasoning: joinSentences(todo.DeckReason, reason),
		StatusReasoning: reason, SourceReasoning: reason,
	}
}
