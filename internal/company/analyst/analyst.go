// Package analyst does the work of workers on companies: it reads their PDFs, analyzes them and writes what was found.
// It also creates companies from emails, form submissions and imported rows.
package analyst

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gorm.io/gorm"

	"dealflow/internal/analysis"
	"dealflow/internal/blob"
	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/pdftext"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// Deps are the dependencies of an analyst. All are required, except those whose zero value is described.
type Deps struct {
	DB       *postgres.DB
	Blobs    *blob.Store
	Reader   *pdftext.Pool
	Analyzer analysis.Analyzer
	Now      func() time.Time
	Logger   *slog.Logger
	// Work stores the repeated analyses of companies with PDFs that could not be read for a temporary reason.
	Work *work.Store
	// ReadFor is how long the PDFs of one company may take together; 0: 20 minutes. Those that are not read by then count
	// as unread for a temporary reason.
	ReadFor time.Duration
	// Remember bounds the answers of a model that are stored and used again; the zero value stores none.
	Remember Remember
	// Timed, if not nil, is called after each "read" of a PDF and each "analyse" with the time that it took. by is the
	// reader (or "none") or the analyzer.
	Timed func(step, by string, took time.Duration)
}

// Analyst reads the PDFs of companies, analyzes their texts and saves what was found. It is safe for concurrent use.
type Analyst struct {
	db       *postgres.DB
	blobs    *blob.Store
	reader   *pdftext.Pool
	analyzer analysis.Analyzer
	now      func() time.Time
	logger   *slog.Logger
	work     *work.Store
	readFor  time.Duration
	remember Remember
	timed    func(step, by string, took time.Duration)
}

// New returns an analyst.
func New(deps Deps) *Analyst {
	a := &Analyst{
		db: deps.DB, blobs: deps.Blobs, reader: deps.Reader, analyzer: deps.Analyzer, now: deps.Now, logger: deps.Logger,
		work: deps.Work, readFor: cmp.Or(deps.ReadFor, readFor), remember: deps.Remember, timed: deps.Timed,
	}
	if a.timed == nil {
		a.timed = func(string, string, time.Duration) {}
	}
	return a
}

// task is one analysis: a WorkAnalyse, WorkReread or WorkPreview.
type task struct {
	analyst *Analyst
	target  target
	found   []loaded // the company; empty for a dry run, and where it was deleted
	taught  []lessonRow
}

// loaded is a company as an analysis reads it. Xmin is the version of its row; every change of the row changes it.
type loaded struct {
	company.Company

	Xmin uint32
}

// TableName returns the name of the table, which gorm would not guess.
func (loaded) TableName() string { return "companies" }

// Begin returns the queries that load what an analysis needs, which the caller runs together with the claim of the
// work. It also returns the function that then performs the claimed work item and marks it as done. Both are for one
// work item: each needs a call of Begin. The function returns work.ErrLost if another worker has taken the attempt
// over; after any other error the work should be tried again. A PDF that cannot be read is not an error, and the
// analysis names it; a storage that cannot be read now is one.
func (a *Analyst) Begin() ([]postgres.Query, func(context.Context, work.Item) error) {
	return a.begin(work.ClaimedAccount(), work.ClaimedSubject())
}

// begin is Begin for a given account and subject. Both may be a uuid.UUID or a gorm expression whose value is one.
func (a *Analyst) begin(account, subject any) ([]postgres.Query, func(context.Context, work.Item) error) {
	t := &task{analyst: a}
	queries := append(t.target.queries(a.db, &t.taught, account),
		postgres.Found(a.db, &t.found, func(db *gorm.DB) *gorm.DB {
			return db.Where("id = ?", subject).Find(&[]loaded{})
		}),
		postgres.Found(a.db, &t.target.files, func(db *gorm.DB) *gorm.DB {
			return db.Where("company_id = ?", subject).Order("position, id").Find(&[]company.File{})
		}))
	return queries, t.do
}

// Analyse performs a claimed work item that is an analysis and marks it as done. It returns the same errors as the
// function that Begin returns, and an error if the company cannot be loaded.
func (a *Analyst) Analyse(ctx context.Context, item work.Item) error {
	queries, do := a.begin(item.AccountID, item.SubjectID)
	if err := a.db.Read(ctx, postgres.AsUser(item.UserID), queries...); err != nil {
		return fmt.Errorf("load company %s: %w", item.SubjectID, err)
	}
	return do(ctx, item)
}

func (t *task) do(ctx context.Context, item work.Item) error {
	a, target := t.analyst, t.target
	target.user, target.stored = item.UserID, item.Kind != aicreation.WorkPreview
	target.learn(t.taught)
	if err := json.Unmarshal(item.Input, &target.input); err != nil {
		return fmt.Errorf("read the input of an analysis: %w", err)
	}
	switch {
	case target.input.Preview != nil:
		target.company, target.files = target.input.Preview.Company, target.input.Preview.Files
	case len(t.found) == 0: // deleted before its turn came: there is nothing to analyse
		return a.db.As(ctx, item.UserID, func(tx *postgres.Tx) error {
			return work.Finish(tx, item, aicreation.AnalysisResult{Analysis: aicreation.Unfinished(item, target.input)})
		})
	default:
		target.company, target.version = t.found[0].Company, t.found[0].Xmin
	}
	readings, verdict, err := a.study(ctx, target)
	if err != nil {
		return err
	}
	if item.Kind == aicreation.WorkPreview {
		return a.finishPreview(ctx, item, target, verdict)
	}
	return a.save(ctx, item, target, readings, verdict)
}

// study reads a company's PDFs, analyzes it, and returns a reading for each PDF, and the verdict. It writes nothing to
// the database but the answers of a model (see memory). A PDF that cannot be read is not an error, but a storage that
// cannot be read now is one.
func (a *Analyst) study(ctx context.Context, t target) ([]reading, verdict, error) {
	readings, err := a.readAll(ctx, t)
	if err != nil {
		return nil, verdict{}, err
	}
	began := time.Now()
	in := t.analyzerInput(readings, a.now())
	in.Lessons, in.Memory = t.lessons, a.memory(t)
	findings, err := a.analyzer.Analyze(ctx, in)
	if err != nil {
		return nil, verdict{}, fmt.Errorf("analyse: %w", err)
	}
	a.timed("analyse", findings.Analyzer, time.Since(began))
	return readings, conclude(t, readings, in, findings, a.now().UTC().Truncate(time.Microsecond)), nil
}

func (a *Analyst) finishPreview(ctx context.Context, item work.Item, t target, v verdict) error {
	if _, err := v.apply(&t.company); err != nil {
		return err
	}
	v.decideRoles(&t.company, t.files)
	err := a.db.As(ctx, item.UserID, func(tx *postgres.Tx) error {
		return work.Finish(tx, item, aicreation.AnalysisResult{
			Analysis: v.analysis,
			Preview:  &aicreation.Preview{Company: t.company, Files: t.files},
		})
	})
	if errors.Is(err, work.ErrLost) {
		a.logger.InfoContext(ctx, "the work of a dry run was removed or taken over; its result is dropped", "work_id",
			item.ID)
	}
	return err
}
