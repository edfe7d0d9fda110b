package httpapi

import (
	"dealflow/internal/httpapi/accounts"
	"dealflow/internal/httpapi/companies"
	"dealflow/internal/httpapi/connections"
	"dealflow/internal/httpapi/console"
	"dealflow/internal/httpapi/files"
	"dealflow/internal/httpapi/identity"
	"dealflow/internal/httpapi/limits"
	"dealflow/internal/httpapi/mcp"
	"dealflow/internal/httpapi/operations"
	"dealflow/internal/httpapi/records"
	"dealflow/internal/httpapi/replay"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/sharing"
	"dealflow/internal/httpapi/transfers"
	"dealflow/internal/markdown"
	"dealflow/internal/program"
)

// build creates the handlers of all resources. The error is about a public URL that cannot be parsed, or templates that
// cannot be parsed.
func (a *API) build() (err error) {
	reader := request.Reader{MaxJSONSize: a.MaxJSONSize, CursorKeys: a.Secrets}
	admission, guesses := limits.NewAdmission(a.Storing), &limits.Guesses{Now: a.Now}
	stopping := respond.Stopping(a.Stopping)
	protection, err := sameSite(a.PublicURL)
	if err != nil {
		return err
	}
	sharePages, err := sharing.NewPages(a.Pages.AssetURL("share.js"), a.Pages.AssetURL("icon.svg"))
	if err != nil {
		return err
	}
	a.identities = &identity.Identifier{Accounts: a.Accounts, SignIn: a.SignIn, Database: a.Database, SameSite: protection}
	a.files = &files.Handlers{Blobs: a.Blobs, Signer: a.Signer, Now: a.Now}
	a.accounts = &accounts.Handlers{
		Accounts: a.Accounts, SignIn: a.SignIn, Keys: a.Keys, Audit: a.Audit, Dashboards: a.Dashboards,
		Identities: a.identities,
		Reader:     reader, Guesses: guesses, FewGuesses: a.Guesses, ManyGuesses: a.Attempts,
		Devices: accounts.Devices{Keys: a.Secrets}, Now: a.Now, PublicURL: a.PublicURL, SignupOpen: a.SignupOpen,
	}
	a.companies = &companies.Handlers{
		Companies: a.Companies, Creations: a.Creations, Attachments: a.Attachments, Sources: a.Sources,
		Merges:     a.Merges,
		SavedViews: a.SavedViews, Pipelines: a.Pipelines, Files: a.files, Reader: reader,
		Admission: admission, Hub: a.Hub,
		Load: a.Load, Stopping: stopping, Now: a.Now, AnalysisWait: a.AnalysisWait, MaxFileSize: a.MaxFileSize,
	}
	a.records = &records.Handlers{
		Emails: a.Emails, Forms: a.Forms, Meetings: a.Meetings, Files: a.files, Reader: reader,
	}
	a.sharing = &sharing.Handlers{
		Shares: a.Shares, Visitors: a.Visitors, Slides: a.Slides, Files: a.files, Pages: sharePages,
		Markdown: markdown.New(), Reader: reader,
		Guesses: guesses, FewGuesses: a.Guesses, ManyGuesses: a.Attempts, PublicURL: a.PublicURL, Now: a.Now,
	}
	a.transfers = &transfers.Handlers{
		Imports: a.Imports, Watcher: a.Watcher, Transfers: a.Transfers, Identities: a.identities, Reader: reader,
		Admission: admission, Stopping: stopping, MaxFileSize: a.MaxFileSize,
	}
	a.connections = &connections.Handlers{
		Integrations: a.Integrations, Webhooks: a.Webhooks, Feed: a.Feed, FeedWatcher: a.FeedWatcher,
		Identities: a.identities, Reader: reader, Admission: admission, Limiter: a.Limiter, Stopping: stopping,
		PublicURL: a.PublicURL,
	}
	a.console = &console.Handlers{
		Pages: a.Pages, Accounts: a.accounts, Companies: a.companies, Transfers: a.transfers, Identities: a.identities,
		Database: a.Database,
	}
	version := program.ThisBuild().Version
	a.operations = &operations.Handlers{
		Pages: a.Pages, Registry: a.Metrics, Readiness: a.Ready, Stopping: stopping, Database: a.Database,
		Guesses: guesses, Limiter: a.Guesses, User: a.OperatorUser, Password: a.OperatorPassword, Version: version,
	}
	a.replayer = &replay.Replayer{
		Store: a.Idempotency, Logger: a.Logger, MaxJSONSize: a.MaxJSONSize, MaxBodySize: a.companies.MaxForm(),
	}
	a.tools, err = mcp.New(a, base, a.PublicURL, version, a.MaxJSONSize, a.Logger)
	return err
}
