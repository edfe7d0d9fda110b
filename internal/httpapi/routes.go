package httpapi

import (
	"slices"

	"dealflow/internal/account"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/pages"
)

// What an API key needs for a route.
const (
	noKey = "" // the route takes no key
	read  = account.ScopeRead
	write = account.ScopeWrite
	admin = account.ScopeAdmin
)

// team is where the routes of one account begin.
const team = base + "/accounts/:account_id"

// table returns every route that is served: its method and path, who may use it, the scope that a key needs, its
// handler, and what becomes of a request that is sent again with its Idempotency-Key.
func (a *API) table() []endpoint {
	return slices.Concat(a.publicRoutes(), a.pageRoutes(), a.userRoutes(), a.accountRoutes(), a.companyRoutes())
}

// publicRoutes returns the probes, the pages, the hooks and the pages of operators.
func (a *API) publicRoutes() []endpoint {
	return []endpoint{
		get("/healthz", probe, noKey, a.health),
		get("/readyz", probe, noKey, a.ready),
		get(docsPath, open, noKey, a.docs),
		get(docsPath+"/*file", open, noKey, a.docs),
		get("/files/*path", open, noKey, a.serveFile),
		get(sharePath+":code", open, noKey, a.sharedPage),
		post(sharePath+":code", open, noKey, a.unlockPage).unkeyed(),
		get(sharePath+":code/deck/:company/:page", open, noKey, a.sharedSlide),
		post(sharePath+":code/time", open, noKey, a.countTime).unkeyed(),
		get(invitationsPath+":token", open, noKey, a.invitationPage),
		post(invitationsPath+":token", entrance, noKey, a.joinPage).unkeyed(),
		get(verifyPath+":token", open, noKey, a.verifyPage),
		post(verifyPath+":token", entrance, noKey, a.sendVerifyPage).unkeyed(),
		get(resetPath+":token", open, noKey, a.resetPage),
		post(resetPath+":token", entrance, noKey, a.sendResetPage).unkeyed(),
		get("/metrics", monitor, noKey, a.operator(a.metricsPage())),
		get(pages.SystemPath, operators, noKey, a.systemPage),
		post(pages.SystemPath+"/retry", operators, noKey, a.systemPage).unkeyed(),
		anyMethod(QueuesPath, operators, noKey, a.operator(a.Queues)),
		anyMethod(QueuesPath+"/*path", operators, noKey, a.operator(a.Queues)),
		post(hooksPath+":token", hook, noKey, a.receiveHook).unkeyed(),
		post(mcpPath, users, noKey, a.serveTools).unkeyed(), // the requests of each tool need their scopes
	}
}

// pageRoutes returns the console. What lies below AppPath is for its own table of pages.
func (a *API) pageRoutes() []endpoint {
	return []endpoint{
		get(pages.RootPath, visitors, noKey, a.page),
		get(pages.SignInPath, visitors, noKey, a.page),
		post(pages.SignInPath, visitors, noKey, a.page).unkeyed(),
		post(pages.SignOutPath, visitors, noKey, a.page).unkeyed(),
		get(pages.AppPath, visitors, noKey, a.page),
		get(pages.AppPath+"/*page", visitors, noKey, a.page),
		post(pages.AppPath+"/*page", visitors, noKey, a.page).unkeyed(),
		get(pages.AssetsPath+"/*file", open, noKey, a.page),
	}
}

// userRoutes returns the OpenAPI document, and the routes of a user: their accounts, keys, sessions and secrets.
func (a *API) userRoutes() []endpoint {
	return []endpoint{
		get(base+"/openapi.json", open, noKey, a.openAPI),
		get(base+"/accounts", users, read, a.listAccounts).hot(),
		get(base+"/api-keys", users, read, a.listKeys).hot(),
		post(base+"/api-keys", users, admin, a.createKey).hiding("key"),
		remove(base+"/api-keys/:id", users, admin, a.deleteKey),
		post(base+"/auth/login", entrance, noKey, a.login).unkeyed(),
		post(base+"/auth/register", entrance, noKey, a.register).unkeyed(),
		post(base+"/auth/logout", users, read, a.logout).unkeyed(),
		get(base+"/auth/me", users, read, a.me).hot(),
		post(base+"/invitations/accept", entrance, noKey, a.acceptInvitation).recalled(a.recallAcceptance),
		post(base+"/auth/password", users, admin, a.changePassword).unkeyed(),
		post(base+"/auth/password/reset", entrance, noKey, a.askReset).unkeyed(),
		post(base+"/auth/password/reset/confirm", entrance, noKey, a.resetPassword).unkeyed(),
		post(base+"/auth/email/verify", entrance, noKey, a.verifyEmail).unkeyed(),
		post(base+"/auth/email/verify/send", users, admin, a.askVerification).unkeyed(),
		post(base+"/auth/totp", users, admin, a.startFactor).unkeyed(),
		post(base+"/auth/totp/confirm", users, admin, a.confirmFactor).unkeyed(),
		remove(base+"/auth/totp", users, admin, a.stopFactor),
		get(base+"/auth/sessions", users, admin, a.listSessions),
		remove(base+"/auth/sessions", users, admin, a.endOtherSessions),
		remove(base+"/auth/sessions/:id", users, admin, a.endSession),
	}
}

// accountRoutes returns the routes of what an account has.
func (a *API) accountRoutes() []endpoint {
	return []endpoint{
		get(team+"/company-statuses", members, read, a.listStatuses).hot(),
		post(team+"/company-statuses", admins, admin, a.createStatus),
		patch(team+"/company-statuses/:id", admins, admin, a.changeStatus),
		remove(team+"/company-statuses/:id", admins, admin, a.deleteStatus),
		get(team+"/company-settings", members, read, a.listFields).hot(),
		post(team+"/company-settings", admins, admin, a.createField),
		patch(team+"/company-settings/:id", admins, admin, a.changeField),
		remove(team+"/company-settings/:id", admins, admin, a.deleteField),
		get(team+"/members", members, read, a.listMembers).hot(),
		patch(team+"/members/:id", admins, admin, a.changeMember),
		remove(team+"/members/:id", admins, admin, a.removeMember),
		post(team+"/invitations", admins, admin, a.invite).hiding("accept_url"),
		remove(team+"/invitations/:id", admins, admin, a.revokeInvitation),
		get(team+"/meeting-minutes", members, read, a.listMinutes).hot(),
		post(team+"/meeting-minutes", members, write, a.createMinutes),
		get(team+"/meeting-minutes/:meeting_minutes_id", members, read, a.getMinutes).hot(),
		patch(team+"/meeting-minutes/:meeting_minutes_id", members, write, a.changeMinutes).ofTagged(),
		remove(team+"/meeting-minutes/:meeting_minutes_id", members, write, a.deleteMinutes).ofTagged(),
		get(team+"/form-submissions", members, read, a.listSubmissions).hot(),
		post(team+"/form-submissions", members, write, a.createSubmission),
		get(team+"/form-submissions/:submission_id", members, read, a.getSubmission).hot(),
		patch(team+"/form-submissions/:submission_id", members, write, a.changeSubmission).ofTagged(),
		get(team+"/emails", members, read, a.listEmails).hot(),
		get(team+"/emails/:email_id", members, read, a.getEmail).hot(),
		patch(team+"/emails/:email_id", members, write, a.changeEmail).ofTagged(),
		post(team+"/imports/emails", members, write, a.startImport(imports.KindEmails)).streamed(a.recallImport),
		post(team+"/imports/form-submissions", members, write, a.startImport(imports.KindForms)).streamed(a.recallImport),
		post(team+"/imports/companies", members, write, a.startImport(imports.KindCompanies)).streamed(a.recallImport),
		post(team+"/imports/account", admins, admin, a.startImport(imports.KindAccount)).streamed(a.recallImport),
		post(team+"/imports/account/files", admins, admin, a.restoreFile).unkeyed(),
		get(team+"/imports", members, read, a.listImports).hot(),
		get(team+"/imports/:import_id", members, read, a.getImport).hot(),
		get(team+"/imports/:import_id/errors", members, read, a.importErrors),
		get(team+"/imports/:import_id/events", members, read, a.importEvents),
		post(team+"/imports/:import_id/cancel", members, write, a.cancelImport).bodiless(),
		get(team+"/integrations", admins, admin, a.listIntegrations).hot(),
		post(team+"/integrations", admins, admin, a.createIntegration).hiding("secret"),
		patch(team+"/integrations/:id", admins, admin, a.changeIntegration),
		remove(team+"/integrations/:id", admins, admin, a.deleteIntegration),
		post(team+"/integrations/:id/rotate", admins, admin, a.rotateIntegration).bodiless().hiding("secret"),
		get(team+"/integrations/:id/receipts", admins, admin, a.listReceipts).hot(),
		get(team+"/shared-links", members, read, a.listLinks).hot(),
		post(team+"/shared-links", members, write, a.createLink),
		get(team+"/shared-links/:id", members, read, a.getLink).hot(),
		remove(team+"/shared-links/:id", members, write, a.deleteLink).ofTagged(),
		get(team+"/webhooks", admins, admin, a.listWebhooks).hot(),
		post(team+"/webhooks", admins, admin, a.createWebhook).hiding("secret"),
		patch(team+"/webhooks/:id", admins, admin, a.changeWebhook),
		remove(team+"/webhooks/:id", admins, admin, a.deleteWebhook),
		post(team+"/webhooks/:id/rotate", admins, admin, a.rotateWebhook).bodiless().hiding("secret"),
		post(team+"/webhooks/:id/test", admins, admin, a.testWebhook).bodiless(),
		post(team+"/webhooks/:id/replay", admins, admin, a.replayWebhook),
		get(team+"/webhooks/:id/deliveries", admins, admin, a.listDeliveries).hot(),
		post(team+"/webhooks/:id/deliveries/:delivery_id/replay", admins, admin, a.replayDelivery).bodiless(),
		get(team+"/changes", members, read, a.listChanges).hot(),
		get(team+"/changes/events", members, read, a.changeEvents).hot(),
		get(team+"/export", admins, admin, a.exportAccount),
		get(team+"/export/files", admins, admin, a.exportArchive),
		get(team+"/audit-log", admins, admin, a.auditLog),
		get(team+"/dashboard", members, read, a.dashboard).hot(),
	}
}

// companyRoutes returns the routes of companies.
func (a *API) companyRoutes() []endpoint {
	return []endpoint{
		get(base+"/companies", users, read, a.listCompanies).hot(),
		post(base+"/companies", users, write, a.createCompany).hot(),
		post(base+"/companies/upload/ai", users, write, a.createByAI).recalled(a.recallByAI),
		get(base+"/companies/:id", viewers, read, a.getCompany).hot(),
		patch(base+"/companies/:id", viewers, write, a.changeCompany).hot().ofTagged(),
		remove(base+"/companies/:id", viewers, write, a.deleteCompany).ofTagged(),
		get(base+"/companies/:id/download", viewers, read, a.downloadDeck).hot(),
		get(base+"/companies/:id/analysis", viewers, read, a.getAnalysis),
		patch(base+"/companies/:id/analysis", viewers, write, a.reviewAnalysis),
		post(base+"/companies/:id/analysis", viewers, write, a.analyseAgain).bodiless().recalled(a.recallByAI),
		get(base+"/companies/:id/attachments", viewers, read, a.listAttachments).hot(),
		post(base+"/companies/:id/attachments", viewers, write, a.attach),
		remove(base+"/companies/:id/attachments/:attachment_id", viewers, write, a.detach),
		get(base+"/companies/:id/attachments/:attachment_id/download", viewers, read, a.downloadAttachment).hot(),
		get(base+"/companies/:id/shares", viewers, read, a.listShares).hot(),
		post(base+"/companies/:id/shares", viewers, write, a.shareCompany),
		remove(base+"/companies/:id/shares/:user_id", viewers, write, a.unshareCompany),
	}
}
