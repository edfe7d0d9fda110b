package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/redis/go-redis/v9"

	"dealflow/internal/account"
	"dealflow/internal/account/apikey"
	"dealflow/internal/account/signin"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rules"
	"dealflow/internal/audit"
	"dealflow/internal/blob"
	"dealflow/internal/changes"
	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/attachment"
	"dealflow/internal/company/merge"
	"dealflow/internal/company/sources"
	"dealflow/internal/company/upload"
	"dealflow/internal/config"
	"dealflow/internal/dashboard"
	"dealflow/internal/email"
	"dealflow/internal/form"
	"dealflow/internal/httpapi"
	"dealflow/internal/httpapi/limits"
	"dealflow/internal/httpapi/operations"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/idempotency"
	"dealflow/internal/ingest/hooks"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/meeting"
	"dealflow/internal/metrics"
	"dealflow/internal/outage"
	"dealflow/internal/pages"
	"dealflow/internal/pages/operators"
	"dealflow/internal/password"
	"dealflow/internal/pdftext"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/ratelimit"
	"dealflow/internal/redisconn"
	"dealflow/internal/savedview"
	"dealflow/internal/seal"
	"dealflow/internal/share"
	"dealflow/internal/share/visitor"
	"dealflow/internal/slides"
	"dealflow/internal/tracing"
	"dealflow/internal/transfer"
	"dealflow/internal/wakeup"
	"dealflow/internal/watch"
	"dealflow/internal/webhook"
	"dealflow/internal/work"
	"dealflow/jobs"
	"dealflow/migrations"
)

// api has the parts of the process.
type api struct {
	cfg     config.API
	db      *postgres.DB
	people  *signin.Service
	redis   redis.UniversalClient
	blobs   *blob.Store
	client  *jobs.Client
	hub     *wakeup.Hub
	watcher *watch.Watcher // of imports
	changes *watch.Watcher // of companies
	feed    *watch.Watcher // of accounts
	hooks   *webhook.Service
	sender  *jobs.Worker         // of webhooks' messages
	metrics *prometheus.Registry // the metrics at /metrics
	slides  *slides.Slides
	handler http.Handler
	// the states of the servers that the process needs. Postgres is last, since its outage.Options.Is recognizes any
	// broken connection, also one to Redis or to the storage
	servers []*outage.Server
	cutOff  context.CancelFunc // refuses the rest of bodies that are still being received
	refused prometheus.Counter
	log     *slog.Logger
}

// build connects to the servers, waits until Postgres answers, and builds the parts of the process. It returns an error
// if the database is not safe to use (see postgres.DB.Check). After an error it closes nothing: the process must end.
func build(ctx context.Context, cfg config.API, traces *tracing.Tracing, log *slog.Logger) (*api, error) {
	a := &api{cfg: cfg, log: log, refused: prometheus.NewCounter(prometheus.CounterOpts{
		Name: "dealflow_http_refused_connections_total",
		Help: "Connections beyond MAX_CONNECTIONS or MAX_CONNECTIONS_PER_ADDRESS.",
	})}
	bodies, cutOff := context.WithCancel(context.WithoutCancel(ctx)) //nolint:gosec // G118: the drain calls it
	a.cutOff = cutOff
	if err := a.connect(ctx, traces); err != nil {
		return nil, err
	}
	a.servers = []*outage.Server{redisconn.Watch(a.redis, log), a.blobs.Watch(log), a.db.Watch(log)}
	a.log = outage.Logger(log, a.servers...)
	log = a.log
	signer, err := blob.NewSigner(cfg.Secrets.Bytes(), cfg.HTTP.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("SECRET_KEYS: %w", err)
	}
	classes, err := links.ReadDeckClasses(cfg.Analysis.DeckClassesFile)
	if err != nil {
		return nil, fmt.Errorf("DECK_CLASSES_FILE: %w", err)
	}
	rules := rules.Unlearned(classes)
	rows := work.NewStore(a.db, a.client, log)
	a.hub = wakeup.NewHub(a.redis, wakeup.Options{ID: uuid.NewString(), Ended: rows.Ended, Logger: log})
	a.watcher, a.changes, a.feed = imports.NewWatcher(a.db, log), company.NewWatcher(a.db, log),
		changes.NewWatcher(a.db, log)
	a.slides = slides.New(a.blobs, pdftext.Options{
		Children: 1, Timeout: cfg.Reader.Timeout, MaxInputBytes: cfg.Files.MaxSize, CacheDir: cfg.Reader.Cache(),
		Logger: log,
	})
	if err := a.buildWebhooks(rows); err != nil {
		return nil, err
	}
	factors, err := seal.New(cfg.Secrets.Bytes(), signin.SealPurpose)
	if err != nil {
		return nil, err
	}
	a.people = signin.NewService(signin.Options{
		DB: a.db, SessionLifetime: cfg.Sessions.Lifetime, SessionIdle: cfg.Sessions.Idle, Seal: factors,
		MailBase: a.mailBase(),
	})
	accounts, emails := account.NewMailing(a.db, a.mailBase()), email.New(a.db, a.blobs)
	integrations, err := hooks.New(hooks.Deps{
		Receiver: hooks.NewReceiver(a.db, a.blobs, rows, emails, log),
		Secrets:  cfg.Secrets.Bytes(), Now: time.Now, MaxJSONSize: cfg.Limits.MaxJSONSize,
		MaxMailSize: mailOverhead * cfg.Files.MaxSize,
	})
	if err != nil {
		return nil, err
	}
	pipelines, dashboards := pipeline.New(a.db), dashboard.New(a.db, rules.IsClosing)
	uploads := upload.New(upload.Options{
		DB: a.db, Blobs: a.blobs, MaxFileSize: cfg.Files.MaxSize, Logger: log,
	})
	companies := company.New(company.Deps{DB: a.db, Blobs: a.blobs, Uploads: uploads, Work: rows})
	creations := aicreation.New(aicreation.Deps{
		DB: a.db, Companies: companies, Uploads: uploads, Work: rows, Rules: rules,
	})
	attachments, origins := attachment.New(a.db, companies, uploads, rows), sources.New(a.db)
	merges, meetings, forms := merge.New(a.db), meeting.New(a.db), form.New(a.db)
	intake := imports.New(imports.Deps{
		DB: a.db, Blobs: a.blobs, Work: rows, Logger: log,
		MaxRowSize: cfg.Limits.MaxRowSize,
	})
	linkPasswords := password.New(0)
	shares := share.New(share.Deps{DB: a.db, Now: time.Now, Passwords: linkPasswords})
	visitors := visitor.New(visitor.Deps{
		DB: a.db, Secrets: cfg.Secrets.Bytes(), Now: time.Now, Passwords: linkPasswords,
	})
	audits, keys := audit.New(a.db), apikey.New(a.db)
	views := savedview.New(a.db)
	console, err := pages.New(pages.Deps{
		Accounts: accounts, SignIn: a.people, Keys: keys, Pipelines: pipelines, Companies: companies, Creations: creations,
		Attachments: attachments, Sources: origins, Merges: merges, Dashboards: dashboards,
		PublicURL: cfg.HTTP.PublicURL, Secrets: cfg.Secrets.Bytes(), Now: time.Now,
		Logger: log, Meetings: meetings, Forms: forms, Emails: emails, Signer: signer, Slides: a.slides, Changes: a.changes,
		Stopping: ctx.Done(),
		Shares:   shares, Imports: intake, Progress: a.watcher, Work: rows, Fleet: a.fleet, Integrations: integrations,
		Webhooks: a.hooks,
		Audit:    audits, Views: views,
	})
	if err != nil {
		return nil, err
	}
	a.handler, err = httpapi.New(httpapi.Deps{
		Pages:        console,
		Slides:       a.slides,
		Integrations: integrations,
		Imports:      intake, Watcher: a.watcher,
		Database: a.servers[2], Load: work.NewLoad(a.db, log), Storing: cfg.Storing(),
		Stopping: ctx.Done(), CutOff: bodies, Bodies: request.BodyLimits{
			Grace: cfg.Bodies.Grace,
			Rate:  cfg.Bodies.MinRate,
		},
		Accounts: accounts, SignIn: a.people, Keys: keys, Pipelines: pipelines, Blobs: a.blobs, Signer: signer, Hub: a.hub,
		Idempotency: idempotency.NewStore(a.db, 0), Meetings: meetings, Forms: forms, Emails: emails,
		Shares: shares, Visitors: visitors, Dashboards: dashboards, SavedViews: views,
		Audit: audits,
		Feed:  changes.New(a.db), FeedWatcher: a.feed,
		Transfers: transfer.New(transfer.Deps{
			DB: a.db, Blobs: a.blobs, Emails: emails, MaxFileSize: cfg.Files.MaxSize,
			Logger: log, Now: time.Now,
		}),
		Companies: companies, Creations: creations, Attachments: attachments, Sources: origins,
		Merges: merges,
		Limiter: ratelimit.New(a.redis, ratelimit.Options{
			PerSecond: cfg.Limits.PerSecond, PerMinute: cfg.Limits.PerMinute,
			Prefix: "limit:", Logger: log,
		}),
		Guesses: ratelimit.New(a.redis, ratelimit.Options{
			PerMinute: limits.GuessesPerMinute, Prefix: "guess:", Logger: log,
		}),
		Attempts: ratelimit.New(a.redis, ratelimit.Options{
			PerMinute: limits.AttemptsPerMinute, Prefix: "attempt:", Logger: log,
		}),
		Secrets: cfg.Secrets.Bytes(), PublicURL: cfg.HTTP.PublicURL, SignupOpen: cfg.Signup.Open(),
		Metrics: a.metrics, Traced: traces.Service(), Logger: log, Now: time.Now, Ready: a.ready,
		Queues:       jobs.Dashboard(a.redis, httpapi.QueuesPath),
		Webhooks:     a.hooks,
		OperatorUser: cfg.Operator.User, OperatorPassword: cfg.Operator.Password, TrustedProxies: cfg.HTTP.TrustedProxies,
		AnalysisWait: cfg.Analysis.Wait, MaxJSONSize: cfg.Limits.MaxJSONSize, MaxFileSize: cfg.Files.MaxSize,
	})
	return a, err
}

// mailOverhead is how many times larger a mail may be than the largest file that it may have: base64 adds a third to
// the size of attachments.
const mailOverhead = 2

func (a *api) connect(ctx context.Context, traces *tracing.Tracing) error {
	server, err := redisconn.Parse(a.cfg.Redis.Address())
	if err != nil {
		return fmt.Errorf("REDIS_URL: %w", err)
	}
	redisconn.LogTo(a.log)
	a.redis = server.Client()
	a.client = jobs.NewClient(a.redis)
	options := postgres.Options{MaxConnections: a.cfg.Database.MaxConnections, Tracer: traces.Queries()}
	if a.db, err = postgres.OpenChecked(ctx, a.cfg.Database.URL, options, migrations.Files, a.log); err != nil {
		return err
	}
	if a.blobs, err = blob.Open(ctx, a.cfg.Storage.URL); err != nil {
		return fmt.Errorf("STORAGE_URL: %w", err)
	}
	return nil
}

// registry returns a new registry with the metrics at /metrics: those of the process, the servers and the queues.
func (a *api) registry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewBuildInfoCollector(), collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), jobs.NewQueueMetrics(a.redis), a.refused,
	)
	metrics.Register(registry, metrics.Sources{
		Servers: a.servers, Database: a.db.Stat, Redis: a.redis.PoolStats,
		Storage: a.blobs.Free,
	})
	return registry
}

// ready returns the response of /readyz. The service is ready unless the database does not answer or lacks migrations:
// requests are also served without storage, Redis or workers, so the response only says that these are missing. Workers
// are not counted if Redis does not answer.
func (a *api) ready(ctx context.Context) operations.Readiness {
	var found operations.Readiness
	if err := a.db.CheckSchema(ctx, migrations.Files); err != nil {
		a.log.WarnContext(ctx, "not ready", "error", err)
		found.Refusal = "the database does not answer, or lacks migrations: see the log"
		return found
	}
	if err := a.blobs.Healthy(ctx); err != nil {
		a.log.WarnContext(ctx,
			"the storage does not accept files: free space, or check that it is mounted and can be reached",
			"error", err)
		found.Storage = "does not take files"
	}
	if err := a.redis.Ping(ctx).Err(); err != nil {
		a.log.WarnContext(ctx, "Redis does not answer", "error", err)
		found.Redis = "does not answer"
		return found
	}
	workers, err := a.client.Workers()
	if err != nil {
		a.log.WarnContext(ctx, "the workers could not be counted", "error", err)
	}
	found.Workers = workers
	return found
}

func (a *api) close() {
	for _, server := range a.servers {
		server.Close()
	}
	if a.slides != nil {
		_ = a.slides.Close() // never fails
	}
	for what, close := range map[string]func() error{
		"storage": a.blobs.Close, "Redis": a.redis.Close,
		"the database": a.db.Close,
	} {
		if err := close(); err != nil {
			a.log.Warn("could not be closed", "what", what, "error", err)
		}
	}
}

// fleet returns the workers and the queues as the page of operators shows them.
func (a *api) fleet() (operators.Fleet, error) {
	processes, queues, err := a.client.Fleet()
	var fleet operators.Fleet
	for _, one := range processes {
		fleet.Processes = append(fleet.Processes, operators.Process(one))
	}
	for _, one := range queues {
		fleet.Queues = append(fleet.Queues, operators.Queue(one))
	}
	return fleet, err
}
