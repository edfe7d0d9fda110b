package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"dealflow/internal/account"
	"dealflow/internal/account/outbox"
	"dealflow/internal/analysis"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/model"
	"dealflow/internal/analysis/rules"
	"dealflow/internal/audit"
	"dealflow/internal/blob"
	"dealflow/internal/changes"
	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/analyst"
	"dealflow/internal/company/match"
	"dealflow/internal/company/upload"
	"dealflow/internal/config"
	"dealflow/internal/email"
	"dealflow/internal/idempotency"
	"dealflow/internal/ingest/creation"
	"dealflow/internal/ingest/hooks"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/metrics"
	"dealflow/internal/outage"
	"dealflow/internal/pdftext"
	"dealflow/internal/postgres"
	"dealflow/internal/redisconn"
	"dealflow/internal/smtp"
	"dealflow/internal/tracing"
	"dealflow/internal/wakeup"
	"dealflow/internal/work"
	"dealflow/jobs"
	"dealflow/migrations"
)

// worker has the parts of the process.
type worker struct {
	cfg     config.Worker
	db      *postgres.DB
	redis   redis.UniversalClient
	blobs   *blob.Store
	reader  *pdftext.Pool
	jobs    *jobs.Worker
	sweeper *jobs.Sweeper
	outbox  *outbox.Outbox   // nil: no mails are sent
	servers []*outage.Server // the states of the servers that the process needs
	log     *slog.Logger

	prepared atomic.Bool // the PDF reader is compiled, and the worker takes work
}

// build connects to the servers, waits until Postgres answers, and builds the parts of the process. It returns an error
// if the database is not safe to use (see postgres.DB.Check). After an error it closes nothing: the process must end.
func build(ctx context.Context, cfg config.Worker, traces *tracing.Tracing, registry *prometheus.Registry,
	log *slog.Logger,
) (*worker, error) {
	w := &worker{cfg: cfg, log: log}
	if err := w.connect(ctx, traces); err != nil {
		return nil, err
	}
	w.servers = []*outage.Server{redisconn.Watch(w.redis, log), w.blobs.Watch(log), w.db.Watch(log)}
	w.log = outage.Logger(log, w.servers...)
	log = w.log
	metrics.Register(registry, metrics.Sources{
		Servers: w.servers, Database: w.db.Stat, Redis: w.redis.PoolStats,
		Storage: w.blobs.Free,
	})
	classes, err := links.ReadDeckClasses(cfg.Analysis.DeckClassesFile)
	if err != nil {
		return nil, fmt.Errorf("DECK_CLASSES_FILE: %w", err)
	}
	builtIn := rules.New(classes)
	w.reader = pdftext.NewPool(pdftext.Options{
		Children: cfg.Reader.Children, Timeout: cfg.Reader.Timeout, MaxInputBytes: cfg.Files.MaxSize,
		CacheDir: cfg.Reader.Cache(), Logger: log,
	})
	client, publisher := jobs.NewClient(w.redis), wakeup.NewPublisher(w.redis)
	rows := work.NewStore(w.db, client, log)
	analysts := analyst.New(analyst.Deps{
		DB: w.db, Blobs: w.blobs, Work: rows, Reader: w.reader, Analyzer: newAnalyzer(cfg, builtIn, registry),
		Now: time.Now, Logger: log,
		Timed:    metrics.NewAnalyses(registry),
		Remember: remembered(cfg.Model),
	})
	uploads := upload.New(upload.Options{
		DB: w.db, Blobs: w.blobs, MaxFileSize: cfg.Files.MaxSize, MinBodyRate: cfg.Bodies.MinRate, Logger: log,
	})
	companies := company.New(company.Deps{DB: w.db, Blobs: w.blobs, Uploads: uploads, Work: rows})
	drafts := aicreation.New(aicreation.Deps{
		DB: w.db, Companies: companies, Uploads: uploads, Work: rows, Rules: builtIn,
	})
	emails := email.New(w.db, w.blobs)
	receiver := hooks.NewReceiver(w.db, w.blobs, rows, emails, log)
	creator := analyst.NewCreator(drafts, analysts, match.New())
	writer := imports.NewWriter(imports.WriterDeps{
		DB: w.db, Blobs: w.blobs, Work: rows, Emails: emails, Companies: creator, Logger: log,
		Observe: metrics.NewImports(registry),
	})
	creations := creation.New(w.db, creator)
	w.jobs = jobs.NewWorker(jobs.Deps{
		Redis: w.redis, Work: rows, Publisher: publisher, Companies: companies, Analyst: analysts, Imports: writer,
		Creations: creations, Receiver: receiver,
		Concurrency: cfg.Queue.Concurrency, Bulk: cfg.Queue.Bulk, Lease: cfg.Queue.Lease, Metrics: registry, Logger: log,
	})
	w.sweeper = &jobs.Sweeper{
		Work: rows, Client: client, Publisher: publisher, Uploads: uploads, Analyst: analysts, Imports: writer,
		Receiver: receiver, Emails: emails, Idempotency: idempotency.NewStore(w.db, 0),
		Accounts: account.New(w.db), Audit: audit.New(w.db), AuditAge: cfg.Audit.Retention, Logger: log,
		Changes: changes.New(w.db), ChangesAge: cfg.Changes.Retention,
	}
	return w, w.buildOutbox()
}

// buildOutbox builds the sender of mails. It does nothing if no mail server is configured.
func (w *worker) buildOutbox() error {
	if !w.cfg.Mail.Enabled() {
		return nil
	}
	server, err := smtp.New(w.cfg.Mail.URL, w.cfg.Mail.From)
	if err != nil {
		return err
	}
	w.outbox = outbox.New(w.db, server, w.log)
	return nil
}

// transactionTimeout is how long a transaction of the worker may take. It is longer than in the API: a batch of an
// import may wait for locks, and no person waits for it. The slowest transaction that was seen, which writes back the
// words of ten large PDFs, took 13 s.
const transactionTimeout = 5 * time.Minute

func (w *worker) connect(ctx context.Context, traces *tracing.Tracing) error {
	server, err := redisconn.Parse(w.cfg.Redis.Address())
	if err != nil {
		return fmt.Errorf("REDIS_URL: %w", err)
	}
	redisconn.LogTo(w.log)
	w.redis = server.Client()
	options := postgres.Options{
		MaxConnections: w.cfg.Database.MaxConnections, TransactionTimeout: transactionTimeout,
		Tracer: traces.Queries(),
	}
	if w.db, err = postgres.OpenChecked(ctx, w.cfg.Database.URL, options, migrations.Files, w.log); err != nil {
		return err
	}
	if w.blobs, err = blob.Open(ctx, w.cfg.Storage.URL); err != nil {
		return fmt.Errorf("STORAGE_URL: %w", err)
	}
	return nil
}

func (w *worker) close() {
	for _, server := range w.servers {
		server.Close()
	}
	for what, close := range map[string]func() error{
		"the PDF readers": w.reader.Close, "storage": w.blobs.Close,
		"Redis": w.redis.Close, "the database": w.db.Close,
	} {
		if err := close(); err != nil {
			w.log.Warn("could not be closed", "what", what, "error", err)
		}
	}
}

// remembered returns how many of the model's answers are stored, and for how long; the zero value, which stores none,
// if m does not remember answers.
func remembered(m config.Model) analyst.Remember {
	if !m.Remembers() {
		return analyst.Remember{}
	}
	return analyst.Remember{Age: m.CacheAge, Most: m.CacheSize}
}

// newAnalyzer returns the analyzer that calls a model and uses the built-in rules if the model fails. If no key for a
// model is set, it returns the rules.
func newAnalyzer(cfg config.Worker, builtIn *rules.Rules, registry *prometheus.Registry) analysis.Analyzer {
	if cfg.Model.Key == "" {
		return builtIn
	}
	input, output := cfg.Model.Price()
	observe := metrics.NewModels(registry, input, output)
	return model.NewOpenAI(model.OpenAIOptions{
		Key: cfg.Model.Key, BaseURL: cfg.Model.BaseURL, Model: cfg.Model.Name, Timeout: cfg.Model.Timeout,
		MaxInput: cfg.Model.MaxInput, MaxOutput: cfg.Model.MaxOutput,
		Rules: builtIn, Observe: func(call model.Call) { observe(metrics.ModelCall(call)) },
	})
}
