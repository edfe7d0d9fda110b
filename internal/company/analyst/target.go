package analyst

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/analysis"
	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
)

// target is a company to analyze, either stored or of a dry run, with the data of its account that the analysis needs.
type target struct {
	company company.Company
	files   []company.File
	stages  []pipeline.Status
	lessons []analysis.Lesson
	input   aicreation.AnalysisInput

	user    uuid.UUID // the user as whom it is analyzed
	stored  bool      // false: a dry run
	version uint32    // of the company's row: see loaded
}

// queries returns queries that set t.stages to the statuses of the account, and taught to the rows of its lessons. When
// they have run, the caller must pass taught to learn. account is a uuid.UUID, or a gorm expression whose value is one.
func (t *target) queries(db *postgres.DB, taught *[]lessonRow, account any) []postgres.Query {
	stages := postgres.Found(db, &t.stages, func(db *gorm.DB) *gorm.DB {
		return db.Where("account_id = ?", account).Order("rank, created_at, id").Find(&[]pipeline.Status{})
	})
	return []postgres.Query{stages, lessons(db, taught, account)}
}

// load reads, as the user t.user, the statuses of the account and the lessons from its corrections, and adds them to t.
func (t *target) load(ctx context.Context, db *postgres.DB, accountID uuid.UUID) error {
	var taught []lessonRow
	err := db.Read(ctx, postgres.AsUser(t.user), t.queries(db, &taught, accountID)...)
	t.learn(taught)
	return err
}

func (t *target) learn(taught []lessonRow) {
	for _, row := range taught {
		t.lessons = append(t.lessons, row.lessons()...)
	}
}

// analyzerInput returns the input of the analyzer. It requests the status and the source if the client did not give
// them and the text is longer than minDetectionLength.
func (t target) analyzerInput(readings []reading, now time.Time) analysis.Input {
	long := utf8.RuneCountInString(t.company.Text()) > minDetectionLength
	in := analysis.Input{
		Text: t.company.Text(), Links: t.input.Links, DeckURL: t.input.DeckURL, PickDeck: t.input.SeveralPDFs,
		ReferenceTime: now,
		DetectStatus:  long && !t.input.StatusGiven, DetectSource: long && !t.input.SourceGiven,
	}
	for _, stage := range t.stages {
		in.Stages = append(in.Stages, analysis.Stage{
			ID: stage.ID.String(), Name: stage.Name, Rank: stage.Rank,
			IsDefault: stage.IsDefault,
		})
	}
	for _, r := range readings {
		in.Documents = append(in.Documents, analysis.Document{
			ID: r.file.ID.String(), FileName: r.file.Title, Title: r.text.Title, Pages: r.text.Pages, Width: r.text.Width,
			Height: r.text.Height,
		})
	}
	return in
}
