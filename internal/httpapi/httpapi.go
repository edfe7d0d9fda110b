// Package httpapi serves the HTTP interface. routes.go has every route, fail.go turns errors into responses; gate.go
// and the other files handle what is the same for every request. The handlers are in packages below, by resource: they
// read what a client sent, call the domain, and answer in JSON; rules and SQL are elsewhere. No package outside this
// folder uses gin.
package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"dealflow/internal/account"
	"dealflow/internal/account/apikey"
	"dealflow/internal/account/signin"
	"dealflow/internal/audit"
	"dealflow/internal/blob"
	"dealflow/internal/changes"
	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/attachment"
	"dealflow/internal/company/merge"
	"dealflow/internal/company/sources"
	"dealflow/internal/dashboard"
	"dealflow/internal/email"
	forms "dealflow/internal/form"
	"dealflow/internal/httpapi/accounts"
	"dealflow/internal/httpapi/companies"
	"dealflow/internal/httpapi/connections"
	"dealflow/internal/httpapi/console"
	"dealflow/internal/httpapi/docs"
	"dealflow/internal/httpapi/files"
	"dealflow/internal/httpapi/identity"
	"dealflow/internal/httpapi/mcp"
	"dealflow/internal/httpapi/operations"
	"dealflow/internal/httpapi/records"
	"dealflow/internal/httpapi/replay"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/sharing"
	"dealflow/internal/httpapi/transfers"
	"dealflow/internal/idempotency"
	"dealflow/internal/ingest/hooks"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/meeting"
	"dealflow/internal/outage"
	"dealflow/internal/pages/frame"
	"dealflow/internal/pipeline"
	"dealflow/internal/ratelimit"
	"dealflow/internal/savedview"
	"dealflow/internal/share"
	"dealflow/internal/share/visitor"
	"dealflow/internal/slides"
	"dealflow/internal/transfer"
	"dealflow/internal/wakeup"
	"dealflow/internal/watch"
	"dealflow/internal/webhook"
	"dealflow/internal/work"
)

// Deps are the dependencies of the API. All are required, except Queues, the operator's credentials, and those for
// which a zero value is described.
type Deps struct {
	Accounts     *account.Service
	SignIn       *signin.Service
	Keys         *apikey.Service
	Pipelines    *pipeline.Service
	Companies    *company.Service
	Creations    *aicreation.Service
	Attachments  *attachment.Service
	Sources      *sources.Service
	Merges       *merge.Service
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
	Visitors     *visitor.Service
	Dashboards   *dashboard.Service
	SavedViews   *savedview.Service
	Audit        *audit.Log
	Transfers    *transfer.Service
	Pages        *frame.Server // the console
	Slides       *slides.Slides
	Idempotency  *idempotency.Store
	Blobs        *blob.Store
	Signer       *blob.Signer
	Limiter      *ratelimit.Limiter // of callers and addresses
	// counts wrong passwords: the operator's from an address, a user's from an address or a device, and a shared link's
	// from an address
	Guesses *ratelimit.Limiter
	// counts wrong passwords of a user or a shared link from anywhere, and of all of them from an address; also
	// registrations and requests for reset mails from an address
	Attempts *ratelimit.Limiter
	Hub      *wakeup.Hub
	Metrics  *prometheus.Registry
	Traced   string // name of the service in traces of requests; none are made when empty
	Logger   *slog.Logger
	Now      func() time.Time
	Ready    func(context.Context) operations.Readiness
	Load     *work.Load     // how long analyses wait; nil: not known
	Storing  int            // uploads that are stored at once; 15 when 0
	Database *outage.Server // its state; nil: not known
	// closed when the process is to stop: /readyz then answers 503, and requests that only wait end; nil: never closed
	Stopping <-chan struct{}
	// ended shortly before the process stops: the rest of bodies that are still being sent is then refused; nil: never
	// ended
	CutOff context.Context
	Bodies request.BodyLimits
	Queues http.Handler // the queue's dashboard, rooted at QueuesPath; nil: there is none

	Secrets          [][]byte // of device cookies and cursors: the first signs, all verify; none: no device is known
	PublicURL        string   // the beginning of the service's own URLs, without a slash at the end
	SignupOpen       bool     // whether anybody may register
	OperatorUser     string   // empty: the operators' pages are off
	OperatorPassword string
	TrustedProxies   []string // addresses and ranges whose X-Forwarded-For is trusted
	AnalysisWait     time.Duration
	MaxJSONSize      int64 // bytes of a JSON body
	MaxFileSize      int64 // bytes of one uploaded file
}

// QueuesPath is the path of the queue's dashboard.
const QueuesPath = "/admin/queues"

// base is the beginning of the paths of the versioned interface.
const base = "/api/v1"

// API answers HTTP requests. It is safe for concurrent use.
type API struct {
	Deps

	engine    *gin.Engine
	metrics   *metrics
	document  func() ([]byte, error) // openapi.yaml as JSON, computed at the first request for it
	viewer    http.Handler           // of the document
	endpoints map[routeKey]*route.Endpoint

	identities      *identity.Identifier
	replayer        *replay.Replayer
	securityHeaders http.Header // of every answer

	accounts    *accounts.Handlers
	companies   *companies.Handlers
	connections *connections.Handlers
	console     *console.Handlers
	files       *files.Handlers
	operations  *operations.Handlers
	records     *records.Handlers
	sharing     *sharing.Handlers
	tools       *mcp.Handlers
	transfers   *transfers.Handlers
}

// New returns the API, and registers its metrics with deps.Metrics; it panics if they are registered there already. The
// error is about a public URL that cannot be parsed, a trusted proxy that is neither an address nor a range, or
// templates that cannot be parsed.
func New(deps Deps) (*API, error) {
	gin.SetMode(gin.ReleaseMode)
	a := &API{
		Deps: deps, engine: gin.New(), metrics: newMetrics(deps.Metrics), endpoints: map[routeKey]*route.Endpoint{},
		securityHeaders: securityHeaders(deps.PublicURL), viewer: docs.Handler(),
		document: sync.OnceValues(func() ([]byte, error) { return docs.JSON(openAPIYAML) }),
	}
	if a.CutOff == nil {
		a.CutOff = context.Background()
	}
	if err := a.build(); err != nil {
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

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.engine.ServeHTTP(w, r) }
