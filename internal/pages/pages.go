// Package pages is the console for people: server-rendered pages on the same sessions, domain functions and row-level
// access as the API. It has no SQL and holds no rules. Every page works without a script; scripts only make it
// quicker, through the API.
package pages

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"dealflow/internal/account"
	"dealflow/internal/blob"
	"dealflow/internal/company"
	"dealflow/internal/dashboard"
	"dealflow/internal/email"
	"dealflow/internal/form"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/markdown"
	"dealflow/internal/meeting"
	"dealflow/internal/pipeline"
	"dealflow/internal/share"
	"dealflow/internal/slides"
	"dealflow/internal/watch"
	"dealflow/internal/work"
)

// Where pages are. Everything else that the service serves has paths of its own.
const (
	RootPath    = "/"
	AppPath     = "/app"
	SignInPath  = "/signin"
	SignOutPath = "/signout"
	AssetsPath  = "/assets"
)

// Deps are what the pages are made of. All but Stopping are required.
type Deps struct {
	Accounts   *account.Service
	Pipelines  *pipeline.Service
	Companies  *company.Service
	Dashboards *dashboard.Service
	Meetings   *meeting.Service
	Forms      *form.Service
	Emails     *email.Service
	Shares     *share.Service
	Signer     *blob.Signer // of downloads
	Imports    *imports.Service
	Work       *work.Store
	Fleet      func() (Fleet, error) // asks the queue
	Slides     *slides.Slides
	Changes    *watch.Watcher  // of companies
	Progress   *watch.Watcher  // of imports
	Stopping   <-chan struct{} // closed when the process is to stop; nil: never
	PublicURL  string          // without a slash at the end
	Now        func() time.Time
	Logger     *slog.Logger
}

// Pages serves the console. Each request must carry a Visitor; see With.
type Pages struct {
	deps   Deps
	mux    *http.ServeMux
	shapes shapes
	assets *assets
	notes  *markdown.Renderer
}

// New returns the pages. It fails where an embedded template cannot be read.
func New(deps Deps) (*Pages, error) {
	files, err := readAssets()
	if err != nil {
		return nil, fmt.Errorf("read the assets of the pages: %w", err)
	}
	shapes, err := readShapes(files)
	if err != nil {
		return nil, fmt.Errorf("read the templates of the pages: %w", err)
	}
	p := &Pages{deps: deps, mux: http.NewServeMux(), shapes: shapes, assets: files, notes: markdown.New()}
	p.routes()
	return p, nil
}

// routes lists every page. A page below AppPath is for who is signed in; one with {account} for its members.
func (p *Pages) routes() {
	p.open("GET /{$}", p.root)
	p.open("GET /signin", p.signInPage)
	p.open("POST /signin", p.signIn)
	p.open("POST /signout", p.signOut)
	p.mux.Handle("GET /assets/{name}", p.assets)

	p.user("GET /app", p.home)
	p.member("GET /app/{account}", p.boardPage)
	p.member("GET /app/{account}/board", p.boardPage)
	p.member("GET /app/{account}/companies", p.tablePage)
	p.member("GET /app/{account}/dashboard", p.dashboardPage)
	p.member("POST /app/{account}/companies/{company}/status", p.moveCompany)
	p.companyRoutes()
	p.linkRoutes()
	p.importRoutes()
	p.systemRoutes()
}

// ServeHTTP answers one request.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, AssetsPath+"/") {
		protect(w.Header())
	}
	if _, pattern := p.mux.Handler(r); pattern == "" {
		p.fail(w, r, notFound())
		return
	}
	p.mux.ServeHTTP(w, r)
}

// protect forbids what a page never needs: scripts and styles that are inline or from elsewhere, frames, and being
// kept or guessed at.
func protect(header http.Header) {
	header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "+
		"font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Cache-Control", "no-store")
}
