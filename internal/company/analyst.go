package company

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"
	"gorm.io/gorm"

	"dealflow/internal/analysis"
	"dealflow/internal/blob"
	"dealflow/internal/fault"
	"dealflow/internal/pdftext"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// AnalystDeps are what an analyst is made of.
type AnalystDeps struct {
	DB       *postgres.DB
	Blobs    *blob.Store
	Reader   *pdftext.Pool
	Analyzer analysis.Analyzer
	Now      func() time.Time
	Logger   *slog.Logger
	// Work takes the analyses that follow where PDFs could not be read at that moment.
	Work *work.Store
	// Remember bounds the memory of a model's answers; its zero value keeps none.
	Remember Remember
	// Timed, when set, is told how long reading a PDF (by which reader, or "none") and analysing (by which analyzer) took.
	Timed func(step, by string, took time.Duration)
}

// Analyst is the worker's side of companies: it reads their PDFs, analyses and writes back, and removes what was
// deleted.
type Analyst struct{ AnalystDeps }

// NewAnalyst makes an analyst.
func NewAnalyst(deps AnalystDeps) *Analyst { return &Analyst{AnalystDeps: deps} }

// subject is what an analysis is about, from the tables or from a dry run.
type subject struct {
	company Company
	files   []File
	stages  []pipeline.Status
	lessons []analysis.Lesson
	order   order

	user   uuid.UUID // as whom it is analysed
	stored bool      // the company is in the table
}

// reading is what was read of one file.
type reading struct {
	file File
	text fileText
}

// Task is an analysis that is to be done: of a WorkAnalyse, WorkReread or WorkPreview.
type Task struct {
	analyst *Analyst
	found   []Company // one, or none where it is in no table
	about   subject
	taught  []lessonRow
}

// Task returns a task and the queries that load what it is about, to be run as the user whose work it is.
func (a *Analyst) Task(workID uuid.UUID) (*Task, []postgres.Query) {
	t := &Task{analyst: a}
	subject := gorm.Expr("(SELECT subject_id FROM work WHERE id = ?)", workID)
	account := gorm.Expr("(SELECT account_id FROM work WHERE id = ?)", workID)
	return t, append(t.about.know(a.DB, &t.taught, account),
		postgres.Found(a.DB, &t.found, func(db *gorm.DB) *gorm.DB { return db.Where("id = ?", subject).Find(&[]Company{}) }),
		postgres.Found(a.DB, &t.about.files, func(db *gorm.DB) *gorm.DB {
			return db.Where("company_id = ?", subject).Order("position, id").Find(&[]File{})
		}))
}

// Analyse is Task and Do, for work that was claimed before.
func (a *Analyst) Analyse(ctx context.Context, item work.Item) error {
	task, queries := a.Task(item.ID)
	if err := a.DB.Read(ctx, postgres.AsUser(item.UserID), queries...); err != nil {
		return fmt.Errorf("load company %s: %w", item.SubjectID, err)
	}
	return task.Do(ctx, item)
}

// Do does the claimed work once its queries have run, and finishes it. ErrLost where the attempt was taken away
// meanwhile; any other error is worth another attempt. Files that cannot be read are no error: the reasoning says so.
func (t *Task) Do(ctx context.Context, item work.Item) error {
	a, about := t.analyst, t.about
	about.user, about.stored = item.UserID, item.Kind != WorkPreview
	about.learn(t.taught)
	if err := json.Unmarshal(item.Input, &about.order); err != nil {
		return fmt.Errorf("read the order: %w", err)
	}
	switch {
	case about.order.Preview != nil:
		about.company, about.files = about.order.Preview.Company, about.order.Preview.Files
	case len(t.found) == 0: // deleted before its turn came: there is nothing to analyse
		return a.DB.As(ctx, item.UserID, func(tx *postgres.Tx) error {
			return work.Finish(tx, item, result{Analysis: unfinished(item, about.order)})
		})
	default:
		about.company = t.found[0]
	}
	readings, verdict, err := a.study(ctx, about)
	if err != nil {
		return err
	}
	if item.Kind == WorkPreview {
		return a.finishPreview(ctx, item, about, verdict)
	}
	return a.writeBack(ctx, item, readings, verdict)
}

// study reads a company's PDFs, analyses it and comes to a verdict. Files that cannot be read are no error.
func (a *Analyst) study(ctx context.Context, about subject) ([]reading, verdict, error) {
	readings, err := a.readAll(ctx, about)
	if err != nil {
		return nil, verdict{}, err
	}
	began := time.Now()
	in := about.input(readings, a.Now())
	in.Lessons, in.Memory = about.lessons, a.memory(about)
	findings, err := a.Analyzer.Analyze(ctx, in)
	if err != nil {
		return nil, verdict{}, fmt.Errorf("analyse: %w", err)
	}
	a.timed("analyse", findings.Analyzer, began)
	return readings, conclude(about, readings, findings, a.Now().UTC().Truncate(time.Microsecond)), nil
}

// know returns the queries for what the account knows, a uuid or an expression: its stages, and what it taught by its
// corrections, which learn takes.
func (about *subject) know(db *postgres.DB, taught *[]lessonRow, account any) []postgres.Query {
	stages := postgres.Found(db, &about.stages, func(db *gorm.DB) *gorm.DB {
		return db.Where("account_id = ?", account).Order("rank, created_at, id").Find(&[]pipeline.Status{})
	})
	return []postgres.Query{stages, lessons(db, taught, account)}
}

// load runs the queries of know.
func (about *subject) load(ctx context.Context, db *postgres.DB, accountID uuid.UUID) error {
	var taught []lessonRow
	err := db.Read(ctx, postgres.AsUser(about.user), about.know(db, &taught, accountID)...)
	about.learn(taught)
	return err
}

func (about *subject) learn(taught []lessonRow) {
	for _, row := range taught {
		about.lessons = append(about.lessons, row.lessons()...)
	}
}

// readAll reads every PDF, a few at once: the pool has its own limit.
func (a *Analyst) readAll(ctx context.Context, about subject) ([]reading, error) {
	var readings []reading
	for _, file := range about.files {
		if file.MediaType != nil && *file.MediaType == PDF && file.StoragePath != nil {
			readings = append(readings, reading{file: file})
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	for i := range readings {
		group.Go(func() error {
			var err error
			readings[i].text, err = a.read(ctx, readings[i].file)
			return err
		})
	}
	return readings, group.Wait()
}

// read returns the text of a PDF, with the reason in it where there is none. Only trouble with storage or the context
// is an error.
func (a *Analyst) read(ctx context.Context, file File) (fileText, error) {
	text := fileText{FileID: file.ID, AccountID: file.AccountID, CompanyID: file.CompanyID, Pages: []string{}}
	object, err := a.Blobs.Open(ctx, *file.StoragePath)
	if fault.Is(err, fault.NotFound) {
		text.Error = "the file is gone from storage"
		return text, nil
	}
	if err != nil {
		return text, fmt.Errorf("open file %s: %w", file.ID, err)
	}
	defer object.Close()
	began := time.Now()
	document, err := a.Reader.Read(ctx, object)
	a.timed("read", cmp.Or(document.Reader, "none"), began)
	if ctx.Err() != nil {
		return text, ctx.Err()
	}
	if blob.IsUnavailable(err) { // nothing is wrong with the file
		return text, fmt.Errorf("read file %s: %w", file.ID, err)
	}
	if errors.Is(err, pdftext.ErrClosed) { // this worker ends; another one reads it
		return text, err
	}
	if problem := cmp.Or(err, document.Problem); problem != nil {
		a.Logger.WarnContext(ctx, "a PDF could not be read whole", "file_id", file.ID, "error", problem)
		text.Error, text.Passing = problem.Error(), pdftext.IsPassing(problem)
	}
	text.Reader, text.Title = document.Reader, document.Title
	text.Width, text.Height = document.Width, document.Height
	if document.Pages != nil {
		text.Pages = document.Pages
	}
	if text.Error == "" && document.PageCount > 0 && len(document.Scans) == document.PageCount {
		text.Error = "its pages are pictures without text"
	}
	return text, nil
}

func (a *Analyst) timed(step, by string, began time.Time) {
	if a.Timed != nil {
		a.Timed(step, by, time.Since(began))
	}
}

// input is what the analyzer is given.
func (about subject) input(readings []reading, now time.Time) analysis.Input {
	long := detects(about.text())
	in := analysis.Input{
		Text: about.text(), Links: about.order.Links, DeckURL: about.order.DeckURL, PickDeck: about.order.SeveralPDFs, ReferenceTime: now,
		DetectStatus: long && !about.order.StatusGiven, DetectSource: long && !about.order.SourceGiven,
	}
	for _, stage := range about.stages {
		in.Stages = append(in.Stages, analysis.Stage{ID: stage.ID.String(), Name: stage.Name, Rank: stage.Rank, IsDefault: stage.IsDefault})
	}
	for _, r := range readings {
		in.Documents = append(in.Documents, analysis.Document{
			ID: r.file.ID.String(), FileName: r.file.Title, Title: r.text.Title, Pages: r.text.Pages, Width: r.text.Width, Height: r.text.Height,
		})
	}
	return in
}

func (about subject) text() string {
	if about.company.SourceContent == nil {
		return ""
	}
	return *about.company.SourceContent
}

func (a *Analyst) finishPreview(ctx context.Context, item work.Item, about subject, v verdict) error {
	if _, err := v.apply(&about.company); err != nil {
		return err
	}
	pickRoles(&about, v)
	err := a.DB.As(ctx, item.UserID, func(tx *postgres.Tx) error {
		return work.Finish(tx, item, result{Analysis: v.analysis, Preview: &preview{Company: about.company, Files: about.files}})
	})
	if errors.Is(err, work.ErrLost) {
		a.Logger.InfoContext(ctx, "nobody waits for the dry run any more", "work_id", item.ID)
	}
	return err
}
