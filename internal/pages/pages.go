// Package pages is the console for people: pages rendered by the server, which use the same sessions, domain functions
// and row-level security as the API. It has no SQL and no rules of the domain. Pages work without scripts; scripts make
// it unnecessary to load pages again, and send their changes to the API.
//
// The packages below it have the pages, each for one subject; its function Serve lists them. They share frame and, for
// pages whose forms redirect back to them, formpage.
package pages

import (
	"embed"
	"log/slog"
	"sync"
	"time"

	"dealflow/internal/account"
	"dealflow/internal/account/apikey"
	"dealflow/internal/account/signin"
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
	"dealflow/internal/meeting"
	"dealflow/internal/pages/companies"
	dashboardpage "dealflow/internal/pages/dashboard"
	"dealflow/internal/pages/formpage"
	"dealflow/internal/pages/frame"
	"dealflow/internal/pages/lists"
	"dealflow/internal/pages/operators"
	"dealflow/internal/pages/render"
	"dealflow/internal/pages/self"
	"dealflow/internal/pages/sharing"
	signinpages "dealflow/internal/pages/signin"
	"dealflow/internal/pages/team"
	"dealflow/internal/pages/transfers"
	"dealflow/internal/pipeline"
	"dealflow/internal/savedview"
	"dealflow/internal/share"
	"dealflow/internal/slides"
	"dealflow/internal/watch"
	"dealflow/internal/webhook"
	"dealflow/internal/work"
)

//go:embed templates assets
var embedded embed.FS

// readFiles parses the embedded templates and assets once for all servers of a process: tests have hundreds.
//
//nolint:gochecknoglobals // what is embedded never changes
var readFiles = sync.OnceValues(func() (*render.Files, error) { return render.Read(embedded) })

// Deps are the dependencies of the pages. All but Stopping are required.
type Deps struct {
	Accounts    *account.Service
	SignIn      *signin.Service
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

	Fleet     func() (operators.Fleet, error) // asks the queue
	Slides    *slides.Slides
	Changes   *watch.Watcher  // of companies
	Progress  *watch.Watcher  // of imports
	Stopping  <-chan struct{} // closed when the process is to stop; nil: never
	PublicURL string          // without a slash at the end
	Secrets   [][]byte        // the first seals what is shown once, all open it; at least one
	Now       func() time.Time
	Logger    *slog.Logger
}

// New returns the server of the console. The error is that of an embedded template that cannot be parsed, or of Secrets
// that are missing or unusable.
func New(deps Deps) (*frame.Server, error) {
	files, err := readFiles()
	if err != nil {
		return nil, err
	}
	on := frame.New(frame.Options{
		Accounts: deps.Accounts, Files: files, Stopping: deps.Stopping, PublicURL: deps.PublicURL, Logger: deps.Logger,
	})
	forms, err := formpage.New(on, deps.Secrets, deps.Now)
	if err != nil {
		return nil, err
	}
	signinpages.Serve(on, deps.Accounts, deps.SignIn)
	lists.Serve(on, deps.Companies, deps.Dashboards, deps.Views)
	companies.Serve(on, forms, companies.Deps{
		Pipelines: deps.Pipelines, Companies: deps.Companies, Creations: deps.Creations, Attachments: deps.Attachments,
		Sources: deps.Sources, Merges: deps.Merges, Meetings: deps.Meetings, Forms: deps.Forms, Emails: deps.Emails,
		Shares: deps.Shares, Signer: deps.Signer, Slides: deps.Slides, Changes: deps.Changes, Now: deps.Now,
	})
	sharing.Serve(on, deps.Shares, deps.Companies)
	dashboardpage.Serve(on, deps.Dashboards, deps.Now)
	transfers.Serve(on, deps.Imports, deps.Progress)
	team.Serve(on, forms, team.Deps{
		Accounts: deps.Accounts, SignIn: deps.SignIn, Pipelines: deps.Pipelines,
		Integrations: deps.Integrations, Webhooks: deps.Webhooks,
		Audit: deps.Audit, Now: deps.Now,
	})
	self.Serve(on, forms, deps.SignIn, deps.Keys, deps.Now)
	operators.Serve(on, operators.Deps{
		Fleet: deps.Fleet, Work: deps.Work, Imports: deps.Imports, Logger: deps.Logger,
	})
	return on, nil
}
