package httpapi

import (
	"slices"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/httpapi/connections"
	"dealflow/internal/httpapi/mcp"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/sharing"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/pages/frame"
)

// Scopes that an API key needs for a route.
const (
	noKey = "" // no key is needed, or a key without any scope is enough
	read  = account.ScopeRead
	write = account.ScopeWrite
	admin = account.ScopeAdmin
)

// team is the beginning of the paths of the routes of one account.
const team = base + "/accounts/:account_id"

// table returns all routes that are served. Paths of the console below frame.AppPath are one route here, and are listed
// in the console's own table.
func (a *API) table() []route.Endpoint {
	return slices.Concat(a.publicRoutes(), a.pageRoutes(), a.userRoutes(), a.accountRoutes(), a.companyRoutes())
}

// publicRoutes returns the routes outside of base that are not of the console: the probes, the documentation, files,
// shared links, the pages of operators, hooks, and the tools for agents.
func (a *API) publicRoutes() []route.Endpoint {
	return []route.Endpoint{
		route.Get("/healthz", route.Probe, noKey, a.operations.Health),
		route.Get("/readyz", route.Probe, noKey, a.operations.Ready),
		route.Get(docsPath, route.Open, noKey, a.docs),
		route.Get(docsPath+"/*file", route.Open, noKey, a.docs),
		route.Get("/files/*path", route.Open, noKey, a.files.Serve),
		route.Get(sharing.Path+":code", route.Open, noKey, a.sharing.Page),
		route.Post(sharing.Path+":code", route.Open, noKey, a.sharing.Unlock).Unkeyed(),
		route.Get(sharing.Path+":code/deck/:company/:page", route.Open, noKey, a.sharing.Slide),
		route.Post(sharing.Path+":code/time", route.Open, noKey, a.sharing.CountTime).Unkeyed(),
		route.Get("/metrics", route.Monitor, noKey, a.operations.Only(a.operations.Metrics())),
		route.Get(frame.SystemPath, route.Operators, noKey, a.operations.System),
		route.Post(frame.SystemPath+"/retry", route.Operators, noKey, a.operations.System).Unkeyed(),
		route.Any(QueuesPath, route.Operators, noKey, a.operations.Only(a.Queues)),
		route.Any(QueuesPath+"/*path", route.Operators, noKey, a.operations.Only(a.Queues)),
		route.Post(connections.HooksPath+":token", route.Hook, noKey, a.connections.ReceiveHook).Unkeyed(),
		route.Post(mcp.Path, route.Users, noKey, a.tools.Serve).Unkeyed(), // the requests of each tool need their scopes
	}
}

// pageRoutes returns the routes of the console. Paths below AppPath are listed in its own table of pages.
func (a *API) pageRoutes() []route.Endpoint {
	return []route.Endpoint{
		route.Get(frame.RootPath, route.Visitors, noKey, a.root),
		route.Get(frame.SignInPath, route.Visitors, noKey, a.console.Page),
		route.Post(frame.SignInPath, route.Visitors, noKey, a.console.Page).Unkeyed(),
		route.Get(signin.LinkPath+":token", route.Visitors, noKey, a.console.Page),
		route.Post(signin.LinkPath+":token", route.Visitors, noKey, a.console.Page).Unkeyed(),
		route.Post(frame.SignOutPath, route.Visitors, noKey, a.console.Page).Unkeyed(),
		route.Get(frame.ForgotPath, route.Visitors, noKey, a.console.Page),
		route.Post(frame.ForgotPath, route.Visitors, noKey, a.console.Page).Unkeyed(),
		route.Get(frame.InvitationsPath+"/:token", route.Visitors, noKey, a.console.Page),
		route.Post(frame.InvitationsPath+"/:token", route.Visitors, noKey, a.console.Page).Unkeyed(),
		route.Get(frame.VerifyPath+"/:token", route.Visitors, noKey, a.console.Page),
		route.Post(frame.VerifyPath+"/:token", route.Visitors, noKey, a.console.Page).Unkeyed(),
		route.Get(frame.ResetPath+"/:token", route.Visitors, noKey, a.console.Page),
		route.Post(frame.ResetPath+"/:token", route.Visitors, noKey, a.console.Page).Unkeyed(),
		route.Get(frame.AppPath, route.Visitors, noKey, a.console.Page),
		route.Get(frame.AppPath+"/*page", route.Visitors, noKey, a.console.Page),
		route.Post(frame.AppPath+"/*page", route.Visitors, noKey, a.console.Page).Unkeyed(),
		route.Get(frame.AssetsPath+"/*file", route.Open, noKey, a.console.Page),
	}
}

// userRoutes returns the OpenAPI document, and the routes of a user: their accounts, keys, sessions and secrets.
func (a *API) userRoutes() []route.Endpoint {
	return []route.Endpoint{
		route.Get(base+"/openapi.json", route.Open, noKey, a.openAPI),
		route.Get(base+"/accounts", route.Users, read, a.accounts.ListAccounts),
		route.Get(base+"/api-keys", route.Users, read, a.accounts.ListKeys),
		route.Post(base+"/api-keys", route.Users, admin, a.accounts.CreateKey).Hiding("key"),
		route.Delete(base+"/api-keys/:id", route.Users, admin, a.accounts.DeleteKey),
		route.Post(base+"/auth/login", route.Entrance, noKey, a.accounts.Login).Unkeyed(),
		route.Post(base+"/auth/register", route.Entrance, noKey, a.accounts.Register).Unkeyed(),
		route.Post(base+"/auth/logout", route.Users, read, a.accounts.Logout).Unkeyed(),
		route.Get(base+"/auth/me", route.Users, read, a.accounts.Me),
		route.Post(base+"/invitations/accept", route.Entrance, noKey,
			a.accounts.AcceptInvitation).Recalled(a.accounts.RecallAcceptance),
		route.Post(base+"/auth/password", route.Users, admin, a.accounts.ChangePassword).Unkeyed(),
		route.Post(base+"/auth/password/reset", route.Entrance, noKey, a.accounts.AskReset).Unkeyed(),
		route.Post(base+"/auth/password/reset/confirm", route.Entrance, noKey, a.accounts.ResetPassword).Unkeyed(),
		route.Post(base+"/auth/email/verify", route.Entrance, noKey, a.accounts.VerifyEmail).Unkeyed(),
		route.Post(base+"/auth/email/verify/send", route.Users, admin, a.accounts.AskVerification).Unkeyed(),
		route.Post(base+"/auth/totp", route.Users, admin, a.accounts.StartFactor).Unkeyed(),
		route.Post(base+"/auth/totp/confirm", route.Users, admin, a.accounts.ConfirmFactor).Unkeyed(),
		route.Delete(base+"/auth/totp", route.Users, admin, a.accounts.StopFactor),
		route.Get(base+"/auth/sessions", route.Users, admin, a.accounts.ListSessions),
		route.Delete(base+"/auth/sessions", route.Users, admin, a.accounts.EndOtherSessions),
		route.Delete(base+"/auth/sessions/:id", route.Users, admin, a.accounts.EndSession),
	}
}

// accountRoutes returns the routes of the records and settings of an account.
func (a *API) accountRoutes() []route.Endpoint {
	return []route.Endpoint{
		route.Get(team+"/company-statuses", route.Members, read, a.companies.ListStatuses),
		route.Post(team+"/company-statuses", route.Admins, admin, a.companies.CreateStatus),
		route.Patch(team+"/company-statuses/:id", route.Admins, admin, a.companies.ChangeStatus),
		route.Delete(team+"/company-statuses/:id", route.Admins, admin, a.companies.DeleteStatus),
		route.Get(team+"/company-settings", route.Members, read, a.companies.ListFields),
		route.Post(team+"/company-settings", route.Admins, admin, a.companies.CreateField),
		route.Patch(team+"/company-settings/:id", route.Admins, admin, a.companies.ChangeField),
		route.Delete(team+"/company-settings/:id", route.Admins, admin, a.companies.DeleteField),
		route.Get(team+"/members", route.Members, read, a.accounts.ListMembers),
		route.Patch(team+"/members/:id", route.Admins, admin, a.accounts.ChangeMember),
		route.Delete(team+"/members/:id", route.Admins, admin, a.accounts.RemoveMember),
		route.Post(team+"/invitations", route.Admins, admin, a.accounts.Invite).Hiding("accept_url"),
		route.Delete(team+"/invitations/:id", route.Admins, admin, a.accounts.RevokeInvitation),
		route.Get(team+"/meeting-minutes", route.Members, read, a.records.ListMinutes),
		route.Post(team+"/meeting-minutes", route.Members, write, a.records.CreateMinutes),
		route.Get(team+"/meeting-minutes/:meeting_minutes_id", route.Members, read, a.records.GetMinutes),
		route.Patch(team+"/meeting-minutes/:meeting_minutes_id", route.Members, write,
			a.records.ChangeMinutes).Tagged(a.records.MinutesVersion),
		route.Delete(team+"/meeting-minutes/:meeting_minutes_id", route.Members, write,
			a.records.DeleteMinutes).Tagged(a.records.MinutesVersion),
		route.Get(team+"/form-submissions", route.Members, read, a.records.ListSubmissions),
		route.Post(team+"/form-submissions", route.Members, write, a.records.CreateSubmission),
		route.Get(team+"/form-submissions/:submission_id", route.Members, read, a.records.GetSubmission),
		route.Patch(team+"/form-submissions/:submission_id", route.Members, write,
			a.records.ChangeSubmission).Tagged(a.records.SubmissionVersion),
		route.Get(team+"/emails", route.Members, read, a.records.ListEmails),
		route.Get(team+"/emails/:email_id", route.Members, read, a.records.GetEmail),
		route.Patch(team+"/emails/:email_id", route.Members, write, a.records.ChangeEmail).Tagged(a.records.EmailVersion),
		route.Post(team+"/imports/emails", route.Members, write,
			a.transfers.StartImport(imports.KindEmails)).Streamed(a.transfers.RecallImport),
		route.Post(team+"/imports/form-submissions", route.Members, write,
			a.transfers.StartImport(imports.KindForms)).Streamed(a.transfers.RecallImport),
		route.Post(team+"/imports/companies", route.Members, write,
			a.transfers.StartImport(imports.KindCompanies)).Streamed(a.transfers.RecallImport),
		route.Post(team+"/imports/account", route.Admins, admin,
			a.transfers.StartImport(imports.KindAccount)).Streamed(a.transfers.RecallImport),
		route.Post(team+"/imports/account/files", route.Admins, admin, a.transfers.RestoreFile).Unkeyed(),
		route.Get(team+"/imports", route.Members, read, a.transfers.ListImports),
		route.Get(team+"/imports/:import_id", route.Members, read, a.transfers.GetImport),
		route.Get(team+"/imports/:import_id/errors", route.Members, read, a.transfers.ImportErrors),
		route.Get(team+"/imports/:import_id/events", route.Members, read, a.transfers.ImportEvents),
		route.Post(team+"/imports/:import_id/cancel", route.Members, write, a.transfers.CancelImport).Bodiless(),
		route.Post(team+"/imports/:import_id/undo", route.Members, write, a.transfers.UndoImport).Bodiless(),
		route.Get(team+"/imports/:import_id/kept", route.Members, read, a.transfers.KeptByUndo),
		route.Get(team+"/integrations", route.Admins, admin, a.connections.ListIntegrations),
		route.Post(team+"/integrations", route.Admins, admin, a.connections.CreateIntegration).Hiding("secret"),
		route.Patch(team+"/integrations/:id", route.Admins, admin, a.connections.ChangeIntegration),
		route.Delete(team+"/integrations/:id", route.Admins, admin, a.connections.DeleteIntegration),
		route.Post(team+"/integrations/:id/rotate", route.Admins, admin,
			a.connections.RotateIntegration).Bodiless().Hiding("secret"),
		route.Get(team+"/integrations/:id/receipts", route.Admins, admin, a.connections.ListReceipts),
		route.Get(team+"/shared-links", route.Members, read, a.sharing.ListLinks),
		route.Post(team+"/shared-links", route.Members, write, a.sharing.CreateLink),
		route.Get(team+"/shared-links/:id", route.Members, read, a.sharing.GetLink),
		route.Delete(team+"/shared-links/:id", route.Members, write, a.sharing.DeleteLink).Tagged(a.sharing.LinkVersion),
		route.Get(team+"/saved-views", route.Members, read, a.companies.ListViews),
		route.Post(team+"/saved-views", route.Members, write, a.companies.CreateView),
		route.Patch(team+"/saved-views/:id", route.Members, write, a.companies.ChangeView),
		route.Delete(team+"/saved-views/:id", route.Members, write, a.companies.DeleteView),
		route.Get(team+"/webhooks", route.Admins, admin, a.connections.ListWebhooks),
		route.Post(team+"/webhooks", route.Admins, admin, a.connections.CreateWebhook).Hiding("secret"),
		route.Get(team+"/webhooks/:id", route.Admins, admin, a.connections.GetWebhook),
		route.Patch(team+"/webhooks/:id", route.Admins, admin,
			a.connections.ChangeWebhook).Tagged(a.connections.WebhookVersion),
		route.Delete(team+"/webhooks/:id", route.Admins, admin,
			a.connections.DeleteWebhook).Tagged(a.connections.WebhookVersion),
		route.Post(team+"/webhooks/:id/rotate", route.Admins, admin, a.connections.RotateWebhook).Bodiless().Hiding("secret"),
		route.Post(team+"/webhooks/:id/test", route.Admins, admin, a.connections.TestWebhook).Bodiless(),
		route.Post(team+"/webhooks/:id/replay", route.Admins, admin, a.connections.ReplayWebhook),
		route.Get(team+"/webhooks/:id/deliveries", route.Admins, admin, a.connections.ListDeliveries),
		route.Post(team+"/webhooks/:id/deliveries/:delivery_id/replay", route.Admins, admin,
			a.connections.ReplayDelivery).Bodiless(),
		route.Get(team+"/changes", route.Members, read, a.connections.ListChanges),
		route.Get(team+"/changes/stream", route.Members, read, a.connections.StreamChanges),
		route.Get(team+"/export", route.Admins, admin, a.transfers.ExportAccount),
		route.Get(team+"/audit-log", route.Admins, admin, a.accounts.AuditLog),
		route.Get(team+"/dashboard", route.Members, read, a.accounts.Dashboard),
	}
}

// companyRoutes returns the routes of companies.
func (a *API) companyRoutes() []route.Endpoint {
	return []route.Endpoint{
		route.Get(base+"/companies", route.Users, read, a.companies.List),
		route.Post(base+"/companies", route.Users, write, a.companies.Create),
		route.Post(base+"/companies/upload/ai", route.Users, write,
			a.companies.CreateByAI).Recalled(a.companies.RecallAICreation),
		route.Get(base+"/companies/:id", route.Viewers, read, a.companies.Get),
		route.Patch(base+"/companies/:id", route.Viewers, write, a.companies.Change).Tagged(a.companies.Version),
		route.Delete(base+"/companies/:id", route.Viewers, write, a.companies.Delete).Tagged(a.companies.Version),
		route.Get(base+"/companies/:id/download", route.Viewers, read, a.companies.DownloadDeck),
		route.Get(base+"/companies/:id/analysis", route.Viewers, read, a.companies.GetAnalysis),
		route.Patch(base+"/companies/:id/analysis", route.Viewers, write,
			a.companies.ReviewAnalysis).Tagged(a.companies.AnalysisVersion),
		route.Post(base+"/companies/:id/analysis", route.Viewers, write,
			a.companies.AnalyseAgain).Bodiless().Recalled(a.companies.RecallAICreation),
		route.Get(base+"/companies/:id/attachments", route.Viewers, read, a.companies.ListAttachments),
		route.Post(base+"/companies/:id/attachments", route.Viewers, write, a.companies.Attach),
		route.Delete(base+"/companies/:id/attachments/:attachment_id", route.Viewers, write, a.companies.Detach),
		route.Get(base+"/companies/:id/attachments/:attachment_id/download", route.Viewers, read,
			a.companies.DownloadAttachment),
		route.Get(base+"/companies/:id/sources", route.Viewers, read, a.companies.GetSources),
		route.Post(base+"/companies/:id/merge", route.Viewers, write, a.companies.Merge).Tagged(a.companies.Version),
		route.Get(base+"/companies/:id/merges", route.Viewers, read, a.companies.ListMerges),
		route.Post(base+"/companies/:id/unmerge", route.Viewers, write, a.companies.Unmerge).Bodiless(),
		route.Get(base+"/companies/:id/shares", route.Viewers, read, a.companies.ListShares),
		route.Post(base+"/companies/:id/shares", route.Viewers, write, a.companies.Share),
		route.Delete(base+"/companies/:id/shares/:user_id", route.Viewers, write, a.companies.Unshare),
	}
}
