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
	"dealflow/internal/account/apikey"
	"dealflow/internal/audit"
	"dealflow/internal/blob"
	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/attachment"
	"dealflow/internal/company/merge"
	"dealflow/internal/company/sources"
	"dealflow/internal/dashboard"
	"dealflow/internal/email"
	"dealflow/internal/form"
	"dealflow/internal/ingest/hooks"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/markdown"
	"dealflow/internal/meeting"
	"dealflow/internal/pipeline"
	"dealflow/internal/savedview"
	"dealflow/internal/seal"
	"dealflow/internal/share"
	"dealflow/internal/slides"
	"dealflow/internal/watch"
	"dealflow/internal/webhook"
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
	Accounts    *account.Service
	Keys        *apikey.Service
	Pipelines   *pipeline.Service
	Companies   *company.Service
	Creations   *aicreation.Service
	Attachments *attachment.Service
	Sources     *sources.Service
	Merges      *merge.Service
	Dashboards  *dashboard.Service
	Views       *savedview.Service
	Meetings    *meeting.Service
	Forms       *form.Service
	Emails      *email.Service
	Shares      *share.Service
	Signer      *blob.Signer // of downloads
	Imports     *imports.Service
	Work        *work.Store

	Integrations *hooks.Service
	Webhooks     *webhook.Service
	Audit        *audit.Log

	Fleet     func() (Fleet, error) // asks the queue
	Slides    *slides.Slides
	Changes   *watch.Watcher  // of companies
	Progress  *watch.Watcher  // of imports
	Stopping  <-chan struct{} // closed when the process is to stop; nil: never
	PublicURL string          // without a slash at the end
	Secrets   [][]byte        // the first seals what is shown once, all open it; at least one
	Now       func() time.Time
	Logger    *slog.Logger
}

// Pages serves the console. Each request must carry a Visitor; see With.
type Pages struct {
	deps   Deps
	mux    *http.ServeMux
	shapes shapes
	assets *assets
	notes  *markdown.Renderer
	sealed *seal.Box // what is shown once
}

// New returns the pages. It fails where an embedded template cannot be read, and where there is no key to seal with.
func New(deps Deps) (*Pages, error) {
	files, err := readAssets()
	if err != nil {
		return nil, fmt.Errorf("read the assets of the pages: %w", err)
	}
	shapes, err := readShapes(files)
	if err != nil {
		return nil, fmt.Errorf("read the templates of the pages: %w", err)
	}
	sealed, err := seal.New(deps.Secrets, flashPurpose)
	if err != nil {
		return nil, err
	}
	p := &Pages{deps: deps, mux: http.NewServeMux(), shapes: shapes, assets: files, notes: markdown.New(), sealed: sealed}
	p.routes()
	return p, nil
}

// routes lists every page. A page below AppPath is for who is signed in; one with {account} for its members.
func (p *Pages) routes() {
	p.open("GET /{$}", p.root)
	p.open("GET /signin", p.signInPage)
	p.open("POST /signin", p.signIn)
	p.open("GET "+account.SignInLinkPath+"{token}", p.signInLinkPage)
	p.open("POST "+account.SignInLinkPath+"{token}", p.useSignInLink)
	p.open("POST /signout", p.signOut)
	p.open("GET "+ForgotPath, p.forgotPage)
	p.open("POST "+ForgotPath, p.mailReset)
	p.mux.Handle("GET /assets/{name}", p.assets)

	p.user("GET /app", p.home)
	p.member("GET /app/{account}", p.boardPage)
	p.member("GET /app/{account}/board", p.boardPage)
	p.member("GET /app/{account}/board/column", p.columnPart)
	p.member("GET /app/{account}/companies", p.tablePage)
	p.member("GET /app/{account}/companies.csv", p.tableCSV)
	p.member("POST /app/{account}/companies", p.changeMany)
	p.viewRoutes()
	p.member("GET /app/{account}/dashboard", p.dashboardPage)
	p.member("POST /app/{account}/companies/{company}/status", p.moveCompany)
	p.companyRoutes()
	p.mergeRoutes()
	p.linkRoutes()
	p.importRoutes()
	p.systemRoutes()
	p.selfRoutes()
	p.teamRoutes()
	p.mailedRoutes()
	p.invitationRoutes()
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
	header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; "+
		"img-src 'self' data:; connect-src 'self'; "+
		"font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Robots-Tag", "noindex, nofollow")
}
