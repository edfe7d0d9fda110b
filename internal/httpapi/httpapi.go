// Package httpapi is the door for HTTP. routes.go holds every route, respond.go the envelope and the one map from
// errors to statuses; there is a file for each resource. Handlers read what a client sent, ask the domain, and say it
// in JSON; rules and SQL are elsewhere. It is the only package that knows gin.
package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"dealflow/internal/account"
	"dealflow/internal/audit"
	"dealflow/internal/blob"
	"dealflow/internal/changes"
	"dealflow/internal/company"
	"dealflow/internal/dashboard"
	"dealflow/internal/email"
	forms "dealflow/internal/form"
	"dealflow/internal/httpapi/docs"
	"dealflow/internal/httpapi/replay"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/idempotency"
	"dealflow/internal/ingest/hooks"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/markdown"
	"dealflow/internal/meeting"
	"dealflow/internal/notify"
	"dealflow/internal/outage"
	"dealflow/internal/pages"
	"dealflow/internal/pipeline"
	"dealflow/internal/program"
	"dealflow/internal/ratelimit"
	"dealflow/internal/share"
	"dealflow/internal/slides"
	"dealflow/internal/transfer"
	"dealflow/internal/watch"
	"dealflow/internal/webhook"
	"dealflow/internal/work"
)

// Deps are what the API is made of. All but Queues and the operator's credentials are required.
type Deps struct {
	Accounts     *account.Service
	Pipelines    *pipeline.Service
	Companies    *company.Service
	Meetings     *meeting.Service
	Forms        *forms.Service
	Emails       *email.Service
	Imports      *imports.Service
	Watcher      *watch.Watcher // of imports
	Webhooks     *webhook.Service
	Feed         *changes.Feed
	FeedWatcher  *watch.Watcher // of accounts in which something happened
	Integrations *hooks.Service
	Shares       *share.Service
	Dashboards   *dashboard.Service
	Audit        *audit.Log
	Transfers    *transfer.Service
	Pages        *pages.Pages // the console
	Slides       *slides.Slides
	Idempotency  *idempotency.Store
	Blobs        *blob.Store
	Signer       *blob.Signer
	Limiter      *ratelimit.Limiter // of callers and addresses
	Guesses      *ratelimit.Limiter // of wrong operator's passwords from an address, of a user's from anywhere, and of a shared link's from an address
	Attempts     *ratelimit.Limiter // of wrong users' passwords, and of registrations, from an address; of wrong passwords of a shared link from anywhere
	Hub          *notify.Hub
	Metrics      *prometheus.Registry
	Traced       string // name of the service in traces of requests; none are made when empty
	Logger       *slog.Logger
	Now          func() time.Time
	Ready        func(context.Context) Readiness
	Load         *work.Load      // how long analyses wait; nil: not known
	Storing      int             // uploads that are stored at once; 15 when 0
	Database     *outage.Server  // its state; nil: not known
	Stopping     <-chan struct{} // closed when the process is to stop: /readyz says so, and what only waits ends; nil: never
	CutOff       context.Context // ended shortly before the process stops: bodies that still come are refused then; nil: never
	Bodies       request.BodyLimits
	Queues       http.Handler // the queue's dashboard, rooted at QueuesPath; nil: there is none

	Secrets          [][]byte // by which browsers are known again; the first signs, all verify; none: no browser is
	PublicURL        string   // what the service's own URLs begin with, without a slash at the end
	SignupOpen       bool     // whether anybody may register
	OperatorUser     string   // empty: the operators' pages are off
	OperatorPassword string
	TrustedProxies   []string // addresses and ranges whose X-Forwarded-For is believed
	AnalysisWait     time.Duration
	MaxJSONSize      int64 // bytes of a JSON body
	MaxFileSize      int64 // bytes of one uploaded file
}

// QueuesPath is where the queue's dashboard is served.
const QueuesPath = "/admin/queues"

// base is where the versioned interface begins.
const base = "/api/v1"

// API answers HTTP requests.
type API struct {
	Deps

	engine    *gin.Engine
	metrics   *metrics
	document  func() ([]byte, error) // openapi.yaml as JSON, made when it is first asked for
	viewer    http.Handler           // of the document
	pages     sharePages
	markdown  *markdown.Renderer
	tools     http.Handler // of agents
	lockout   lockout
	subjects  subjects
	sameSite  *http.CrossOriginProtection
	endpoints map[routeKey]endpoint // the table of routes

	replayer        *replay.Replayer
	admission       *admission
	devices         devices
	securityHeaders http.Header // of every answer
	version         string      // of this program
}

// New makes the API. It fails where a trusted proxy is no address, or a template of a page cannot be read.
func New(deps Deps) (*API, error) {
	gin.SetMode(gin.ReleaseMode)
	a := &API{
		Deps: deps, engine: gin.New(), metrics: newMetrics(deps.Metrics), endpoints: map[routeKey]endpoint{}, devices: devices{deps.Secrets},
		admission: newAdmission(deps.Storing), securityHeaders: securityHeaders(deps.PublicURL),
		version: program.ThisBuild().Version, viewer: docs.Handler(), markdown: markdown.New(), document: sync.OnceValues(documentJSON),
	}
	a.replayer = &replay.Replayer{
		Store: deps.Idempotency, Logger: deps.Logger, MaxJSONSize: deps.MaxJSONSize, MaxBodySize: a.maxForm(),
	}
	if a.CutOff == nil {
		a.CutOff = context.Background()
	}
	var err error
	if a.pages, err = newSharePages(deps.Pages.AssetURL("share.js"), deps.Pages.AssetURL("icon.svg")); err != nil {
		return nil, err
	}
	if a.sameSite, err = sameSite(deps.PublicURL); err != nil {
		return nil, err
	}
	if a.tools, err = a.newTools(); err != nil {
		return nil, err
	}
	// A redirect would lose the body of a POST, and a path that is not ours is 404.
	a.engine.RedirectTrailingSlash, a.engine.RedirectFixedPath = false, false
	a.engine.HandleMethodNotAllowed = true
	a.engine.RemoteIPHeaders = []string{"X-Forwarded-For"}
	if err := a.engine.SetTrustedProxies(deps.TrustedProxies); err != nil {
		return nil, fmt.Errorf("trusted proxies: %w", err)
	}
	a.route()
	return a, nil
}

// sameSite knows our own pages, also behind a proxy that changes Host.
func sameSite(publicURL string) (*http.CrossOriginProtection, error) {
	check := http.NewCrossOriginProtection()
	own, err := url.Parse(publicURL)
	if err != nil {
		return nil, fmt.Errorf("public URL: %w", err)
	}
	if own.Host == "" {
		return check, nil
	}
	if err := check.AddTrustedOrigin(own.Scheme + "://" + own.Host); err != nil {
		return nil, fmt.Errorf("public URL: %w", err)
	}
	return check, nil
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.engine.ServeHTTP(w, r) }
