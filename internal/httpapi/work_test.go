package httpapi_test

import (
	"context"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rules"
	"dealflow/internal/audit"
	"dealflow/internal/changes"
	"dealflow/internal/company"
	"dealflow/internal/company/analyst"
	"dealflow/internal/company/match"
	"dealflow/internal/company/merge"
	"dealflow/internal/company/sources"
	"dealflow/internal/dashboard"
	"dealflow/internal/email"
	"dealflow/internal/form"
	"dealflow/internal/idempotency"
	"dealflow/internal/ingest/creation"
	"dealflow/internal/ingest/hooks"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/meeting"
	"dealflow/internal/pages"
	passwords "dealflow/internal/password"
	"dealflow/internal/pdftext"
	"dealflow/internal/pipeline"
	"dealflow/internal/ratelimit"
	"dealflow/internal/savedview"
	"dealflow/internal/share"
	"dealflow/internal/share/visitor"
	"dealflow/internal/slides"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/companykit"
	"dealflow/internal/transfer"
	"dealflow/internal/wakeup"
	"dealflow/internal/webhook"
	"dealflow/internal/work"
	"dealflow/jobs"
)

// shared has what all tests of the process use, since it is costly to make: the rules and the PDF reader.
type shared struct {
	rules  *rules.Rules
	reader *pdftext.Pool
}

// parts returns what the tests share, which is made at the first call. TestMain closes the PDF reader.
var parts = sync.OnceValue(func() shared {
	classes := links.DefaultDeckClasses()
	return shared{
		rules:  rules.New(classes),
		reader: pdftext.NewPool(pdftext.Options{Children: 2, CacheDir: testkit.PDFCache()}),
	}
})

// wireWork sets the services of the domain, and runs the queue and a worker.
func (s *server) wireWork(chosen *setup) {
	s.Helper()
	connection := testkit.Redis(s.T)
	store := work.NewStore(s.db, jobs.NewClient(connection), chosen.Logger)
	chosen.Pipelines, chosen.Idempotency = pipeline.New(s.db), idempotency.NewStore(s.db, 0)
	chosen.Meetings, chosen.Forms, chosen.Emails = meeting.New(s.db), form.New(s.db), email.New(s.db, chosen.Blobs)
	services := companykit.Wire(s.db, chosen.Blobs, store, chosen.MaxFileSize, chosen.Logger)
	chosen.Companies, chosen.Creations, chosen.Attachments = services.Service, services.Creations, services.Attachments
	chosen.Sources, chosen.Merges = sources.New(s.db), merge.New(s.db)
	chosen.Imports = imports.New(imports.Deps{
		DB: s.db, Blobs: chosen.Blobs, Work: store, Logger: chosen.Logger,
		MaxRowSize: 1 << 20,
	})
	chosen.Watcher = imports.NewWatcher(s.db, chosen.Logger)
	s.background(chosen.Watcher.Run)
	var err error
	chosen.Integrations, err = hooks.New(hooks.Deps{
		Receiver: s.receiver(chosen, store), Secrets: [][]byte{[]byte("a secret of thirty-two characters")}, Now: chosen.Now,
		MaxJSONSize: chosen.MaxJSONSize, MaxMailSize: 2 * chosen.MaxFileSize,
	})
	must(s.T, err)
	linkPasswords := passwords.NewWithMemory(0, 64)
	chosen.Shares = share.New(share.Deps{DB: s.db, Now: chosen.Now, Passwords: linkPasswords})
	chosen.Visitors = visitor.New(visitor.Deps{
		DB: s.db, Secrets: [][]byte{[]byte("a secret of thirty-two characters")},
		Now: chosen.Now, Passwords: linkPasswords,
	})
	chosen.Audit = audit.New(s.db)
	chosen.Transfers = transfer.New(transfer.Deps{
		DB: s.db, Blobs: chosen.Blobs, Emails: chosen.Emails, MaxFileSize: chosen.MaxFileSize, Logger: chosen.Logger,
		Now: chosen.Now,
	})
	chosen.Dashboards = dashboard.New(s.db, func(stage string) bool { return stage == "Invested" || stage == "Passed" })
	chosen.SavedViews = savedview.New(s.db)
	chosen.Webhooks, err = webhook.New(webhook.Deps{
		DB: s.db, Work: store, Secrets: [][]byte{[]byte("a secret of thirty-two characters")},
		Logger: chosen.Logger,
	})
	must(s.T, err)
	chosen.Feed, chosen.FeedWatcher = changes.New(s.db), changes.NewWatcher(s.db, chosen.Logger)
	s.background(chosen.FeedWatcher.Run)
	watcher, drawn := company.NewWatcher(s.db, chosen.Logger),
		slides.New(chosen.Blobs, pdftext.Options{Children: 1, CacheDir: testkit.PDFCache()})
	s.background(watcher.Run)
	s.Cleanup(func() { _ = drawn.Close() })
	chosen.Slides = drawn
	chosen.Pages, err = pages.New(pages.Deps{
		Accounts: chosen.Accounts, SignIn: chosen.SignIn, Keys: chosen.Keys, Pipelines: chosen.Pipelines,
		Companies: chosen.Companies, Creations: chosen.Creations,
		Attachments: chosen.Attachments, Sources: chosen.Sources, Merges: chosen.Merges, Dashboards: chosen.Dashboards,
		PublicURL: chosen.PublicURL, Secrets: chosen.Secrets, Now: chosen.Now, Logger: chosen.Logger,
		Meetings: chosen.Meetings, Forms: chosen.Forms,
		Emails: chosen.Emails,
		Signer: chosen.Signer, Slides: drawn, Changes: watcher, Stopping: chosen.Stopping, Shares: chosen.Shares,
		Imports:  chosen.Imports,
		Progress: chosen.Watcher, Work: store, Fleet: chosen.fleet, Integrations: chosen.Integrations,
		Webhooks: chosen.Webhooks,
		Audit:    chosen.Audit, Views: chosen.SavedViews,
	})
	must(s.T, err)
	chosen.Hub = wakeup.NewHub(connection, wakeup.Options{
		ID: uuid.NewString(), Ended: store.Ended,
		Logger: chosen.Logger,
	})
	if chosen.Limiter == nil {
		chosen.Limiter = ratelimit.New(connection, ratelimit.Options{
			PerSecond: 10000, PerMinute: 100000,
			Prefix: "ratelimit:", Logger: chosen.Logger,
		})
	}
	chosen.Guesses = ratelimit.New(connection, ratelimit.Options{PerMinute: 5, Prefix: "operator:", Logger: chosen.Logger})
	chosen.Attempts = ratelimit.New(connection, ratelimit.Options{
		PerMinute: 12, Prefix: "attempt:",
		Logger: chosen.Logger,
	})
	s.background(chosen.Hub.Run)
	if !chosen.NoWorker {
		s.startWorker(chosen, connection)
	}
}

func (s *server) startWorker(chosen *setup, connection redis.UniversalClient) {
	s.Helper()
	store := work.NewStore(s.workerDB, jobs.NewClient(connection), chosen.Logger)
	analysts := analyst.New(analyst.Deps{
		DB: s.workerDB, Blobs: chosen.Blobs, Work: store, Reader: parts().reader, Analyzer: plainAnalyzer{}, Now: time.Now,
		Logger: chosen.Logger,
	})
	creator := analyst.NewCreator(chosen.Creations, analysts, match.New())
	worker := jobs.NewWorker(jobs.Deps{
		Redis: connection, Work: store, Publisher: wakeup.NewPublisher(connection), Concurrency: 2, Bulk: 1,
		Lease: 10 * time.Second,
		Imports: imports.NewWriter(imports.WriterDeps{
			DB: s.workerDB, Blobs: chosen.Blobs, Work: store, Emails: email.New(s.workerDB, chosen.Blobs), Companies: creator,
			Logger: chosen.Logger,
		}),
		Metrics: prometheus.NewRegistry(), Logger: chosen.Logger,
		Receiver:  s.receiver(chosen, store),
		Companies: chosen.Companies, Analyst: analysts, Creations: creation.New(s.workerDB, creator),
	})
	s.background(func(ctx context.Context) {
		if err := worker.Run(ctx); err != nil {
			s.Errorf("the worker: %v", err)
		}
	})
}

// background calls run in a goroutine, cancels its context when the test ends, and waits for it.
func (s *server) background(run func(context.Context)) {
	s.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.Context()))
	var running sync.WaitGroup
	running.Go(func() { run(ctx) })
	s.Cleanup(func() {
		cancel()
		running.Wait()
	})
}

// plainAnalyzer is an analyzer with one answer: these tests are about the HTTP interface, not about what is found.
type plainAnalyzer struct{}

func (plainAnalyzer) Analyze(_ context.Context, in analysis.Input) (analysis.Findings, error) {
	found := analysis.Findings{
		Name: "Acme", Summary: "Anvils for everybody.", Analyzer: "plain",
		Founders: []analysis.Founder{{Name: "Ada", Title: "CEO", Phone: "+1 555 0100", Background: "Forged."}},
	}
	if in.DetectStatus {
		found.StatusID, found.StatusReasoning = in.Stages[0].ID, "It is a first contact."
	}
	if in.DetectSource {
		found.Source, found.SourceReasoning = "email", "It reads like a founder's mail."
	}
	return withEvidence(found, in), nil
}

// withEvidence adds evidence to findings: a quote of the name in the text, and page 1 of each document for the deck. If
// the text does not have the name, the name is to be reviewed.
func withEvidence(found analysis.Findings, in analysis.Input) analysis.Findings {
	if before, _, ok := strings.Cut(in.Text, found.Name); ok {
		start := utf8.RuneCountInString(before)
		found.Evidence = append(found.Evidence, analysis.Evidence{
			Field: analysis.FieldName, Value: found.Name, Confidence: 0.9, Quote: found.Name, Start: start, End: start +
				utf8.RuneCountInString(found.Name), Analyzer: found.Analyzer,
		})
	} else {
		found.NeedsReview = []string{analysis.FieldName}
	}
	for _, d := range in.Documents {
		found.Evidence = append(found.Evidence, analysis.Evidence{
			Field: analysis.FieldDeck, Value: d.ID, Confidence: 1,
			Quote: "on it", DocumentID: d.ID, Page: 1, Analyzer: found.Analyzer,
		})
	}
	return found
}

func (s *server) receiver(chosen *setup, store *work.Store) *hooks.Receiver {
	return hooks.NewReceiver(s.db, chosen.Blobs, store, chosen.Emails, chosen.Logger)
}
