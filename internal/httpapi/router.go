package httpapi

import (
	"maps"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"dealflow/internal/account"
	"dealflow/internal/ingest"
)

// What a key needs for a route.
const (
	anyone = "" // also who has no key
	read   = account.ScopeRead
	write  = account.ScopeWrite
	admin  = account.ScopeAdmin
)

// route lists every route: path, the scope that a key needs, handler. Who may pass without a key, and what is limited how, is decided by
// the path, in the gate.
func (a *API) route() {
	a.engine.Use(a.identifyRequest, a.observe, a.recoverPanic, a.watchBody, a.harden, a.gate)
	a.engine.NoRoute(a.handle(a.proven(a.noRoute)))
	a.engine.NoMethod(a.handle(a.proven(a.noMethod)))

	a.get("/healthz", anyone, a.health)
	a.get("/readyz", anyone, a.ready)
	a.get("/docs", anyone, a.docs)
	a.get("/files/*path", anyone, a.serveFile)
	a.get(sharePath+":code", anyone, a.sharedPage)
	a.post(sharePath+":code", anyone, a.unlockPage)
	a.get(invitationsPath+":token", anyone, a.invitationPage)
	a.post(invitationsPath+":token", anyone, a.joinPage)
	a.get(verifyPath+":token", anyone, a.verifyPage)
	a.post(verifyPath+":token", anyone, a.sendVerifyPage)
	a.get(resetPath+":token", anyone, a.resetPage)
	a.post(resetPath+":token", anyone, a.sendResetPage)
	a.engine.Match([]string{http.MethodGet, http.MethodHead}, "/metrics", a.operator(a.metricsPage()))
	a.engine.Any(QueuesPath, a.operator(a.Queues))
	a.engine.Any(QueuesPath+"/*path", a.operator(a.Queues))
	a.post(hooksPath+":token", anyone, a.receiveHook)

	a.get(base+"/openapi.json", anyone, a.openAPI)
	a.get(base+"/accounts", read, a.listAccounts)
	a.hot(base+"/accounts/:account_id/company-statuses", a.listStatuses)
	a.post(base+"/accounts/:account_id/company-statuses", admin, a.createStatus)
	a.patch(base+"/accounts/:account_id/company-statuses/:id", admin, a.changeStatus)
	a.delete(base+"/accounts/:account_id/company-statuses/:id", admin, a.deleteStatus)
	a.get(base+"/accounts/:account_id/company-settings", read, a.listFields)
	a.post(base+"/accounts/:account_id/company-settings", admin, a.createField)
	a.patch(base+"/accounts/:account_id/company-settings/:id", admin, a.changeField)
	a.delete(base+"/accounts/:account_id/company-settings/:id", admin, a.deleteField)
	a.get(base+"/accounts/:account_id/members", read, a.listMembers)
	a.patch(base+"/accounts/:account_id/members/:id", admin, a.changeMember)
	a.delete(base+"/accounts/:account_id/members/:id", admin, a.removeMember)
	a.post(base+"/accounts/:account_id/invitations", admin, a.invite)
	a.delete(base+"/accounts/:account_id/invitations/:id", admin, a.revokeInvitation)
	a.get(base+"/accounts/:account_id/meeting-minutes", read, a.listMinutes)
	a.post(base+"/accounts/:account_id/meeting-minutes", write, a.createMinutes)
	a.get(base+"/accounts/:account_id/meeting-minutes/:meeting_minutes_id", read, a.getMinutes)
	a.patch(base+"/accounts/:account_id/meeting-minutes/:meeting_minutes_id", write, a.changeMinutes)
	a.delete(base+"/accounts/:account_id/meeting-minutes/:meeting_minutes_id", write, a.deleteMinutes)
	a.get(base+"/accounts/:account_id/form-submissions", read, a.listSubmissions)
	a.post(base+"/accounts/:account_id/form-submissions", write, a.createSubmission)
	a.get(base+"/accounts/:account_id/form-submissions/:submission_id", read, a.getSubmission)
	a.patch(base+"/accounts/:account_id/form-submissions/:submission_id", write, a.changeSubmission)
	a.get(base+"/accounts/:account_id/emails", read, a.listEmails)
	a.get(base+"/accounts/:account_id/emails/:email_id", read, a.getEmail)
	a.patch(base+"/accounts/:account_id/emails/:email_id", write, a.changeEmail)
	a.postStreamed(base+"/accounts/:account_id/imports/emails", write, a.startImport(ingest.KindEmails), a.recallImport)
	a.postStreamed(base+"/accounts/:account_id/imports/form-submissions", write, a.startImport(ingest.KindForms), a.recallImport)
	a.postStreamed(base+"/accounts/:account_id/imports/companies", write, a.startImport(ingest.KindCompanies), a.recallImport)
	a.get(base+"/accounts/:account_id/imports", read, a.listImports)
	a.get(base+"/accounts/:account_id/imports/:import_id", read, a.getImport)
	a.get(base+"/accounts/:account_id/imports/:import_id/errors", read, a.importErrors)
	a.get(base+"/accounts/:account_id/imports/:import_id/events", read, a.importEvents)
	a.post(base+"/accounts/:account_id/imports/:import_id/cancel", write, a.cancelImport)
	a.get(base+"/accounts/:account_id/integrations", admin, a.listIntegrations)
	a.post(base+"/accounts/:account_id/integrations", admin, a.createIntegration)
	a.patch(base+"/accounts/:account_id/integrations/:id", admin, a.changeIntegration)
	a.delete(base+"/accounts/:account_id/integrations/:id", admin, a.deleteIntegration)
	a.post(base+"/accounts/:account_id/integrations/:id/rotate", admin, a.rotateIntegration)
	a.get(base+"/accounts/:account_id/integrations/:id/receipts", admin, a.listReceipts)
	a.get(base+"/accounts/:account_id/shared-links", read, a.listLinks)
	a.post(base+"/accounts/:account_id/shared-links", write, a.createLink)
	a.get(base+"/accounts/:account_id/shared-links/:id", read, a.getLink)
	a.delete(base+"/accounts/:account_id/shared-links/:id", write, a.deleteLink)
	a.get(base+"/accounts/:account_id/audit-log", admin, a.auditLog)
	a.hot(base+"/accounts/:account_id/dashboard", a.dashboard)
	a.get(base+"/api-keys", read, a.listKeys)
	a.post(base+"/api-keys", admin, a.createKey)
	a.delete(base+"/api-keys/:id", admin, a.deleteKey)
	a.post(base+"/auth/login", anyone, a.login)
	a.post(base+"/auth/register", anyone, a.register)
	a.post(base+"/auth/logout", read, a.logout)
	a.get(base+"/auth/me", read, a.me)
	a.postRecalled(base+"/invitations/accept", anyone, a.acceptInvitation, a.recallAcceptance)
	a.post(base+"/auth/password", admin, a.changePassword)
	a.post(base+"/auth/password/reset", anyone, a.askReset)
	a.post(base+"/auth/password/reset/confirm", anyone, a.resetPassword)
	a.post(base+"/auth/email/verify", anyone, a.verifyEmail)
	a.post(base+"/auth/email/verify/send", admin, a.askVerification)
	a.post(base+"/auth/totp", admin, a.startFactor)
	a.post(base+"/auth/totp/confirm", admin, a.confirmFactor)
	a.delete(base+"/auth/totp", admin, a.stopFactor)
	a.get(base+"/auth/sessions", admin, a.listSessions)
	a.delete(base+"/auth/sessions", admin, a.endOtherSessions)
	a.delete(base+"/auth/sessions/:id", admin, a.endSession)
	a.hot(base+"/companies", a.listCompanies)
	a.hotPost(base+"/companies", write, a.createCompany)
	a.postRecalled(base+"/companies/upload/ai", write, a.createByAI, a.recallByAI)
	a.hot(base+"/companies/:id", a.getCompany)
	a.serveUnproven(http.MethodPatch, base+"/companies/:id", write, a.changeCompany)
	a.delete(base+"/companies/:id", write, a.deleteCompany)
	a.hot(base+"/companies/:id/download", a.downloadDeck)
	a.postRecalled(base+"/companies/:id/analysis", write, a.analyseAgain, a.recallByAI)
	a.get(base+"/companies/:id/attachments", read, a.listAttachments)
	a.post(base+"/companies/:id/attachments", write, a.attach)
	a.delete(base+"/companies/:id/attachments/:attachment_id", write, a.detach)
	a.get(base+"/companies/:id/attachments/:attachment_id/download", read, a.downloadAttachment)
	a.get(base+"/companies/:id/shares", read, a.listShares)
	a.post(base+"/companies/:id/shares", write, a.shareCompany)
	a.delete(base+"/companies/:id/shares/:user_id", write, a.unshareCompany)
}

// hot is get, with the scope read, for a handler whose first trip to the database proves the caller.
func (a *API) hot(path string, h handler) {
	a.serveUnproven(http.MethodGet, path, read, h)
	a.serveUnproven(http.MethodHead, path, read, h)
}

// hotPost is post for such a handler.
func (a *API) hotPost(path, scope string, h handler) {
	a.serveUnproven(http.MethodPost, path, scope, a.once(h, nil, a.fingerprint))
}

// get also answers HEAD; the server leaves the body out.
func (a *API) get(path, scope string, h handler) {
	a.serve(http.MethodGet, path, scope, h)
	a.serve(http.MethodHead, path, scope, h)
}

// post also lets a request be sent again with an Idempotency-Key.
func (a *API) post(path, scope string, h handler) { a.postRecalled(path, scope, h, nil) }

// postRecalled is post for what can be answered anew where the process that did it was lost.
func (a *API) postRecalled(path, scope string, h handler, again recall) {
	if takesKey(path) {
		h = a.once(h, again, a.fingerprint)
	}
	a.serve(http.MethodPost, path, scope, h)
}

// postStreamed is postRecalled for a body that is too long to be known before something is done with it: by a key, requests are told apart by all but
// their body.
func (a *API) postStreamed(path, scope string, h handler, again recall) {
	a.serve(http.MethodPost, path, scope, a.once(h, again, headFingerprint))
}

func (a *API) patch(path, scope string, h handler)  { a.serve(http.MethodPatch, path, scope, h) }
func (a *API) delete(path, scope string, h handler) { a.serve(http.MethodDelete, path, scope, h) }

func (a *API) serve(method, path, scope string, h handler) {
	a.serveUnproven(method, path, scope, a.proven(h))
}

func (a *API) serveUnproven(method, path, scope string, h handler) {
	a.scopes[Route{method, path}] = scope
	a.engine.Handle(method, path, a.handle(h))
}

// hardening returns what every answer should tell a browser: not to guess, keep or frame it, and to load nothing for it. Pages set what they
// need instead.
func hardening(publicURL string) http.Header {
	header := http.Header{
		"X-Content-Type-Options": {"nosniff"}, "Referrer-Policy": {"no-referrer"}, "Cache-Control": {"no-store"},
		"Content-Security-Policy": {"default-src 'none'; frame-ancestors 'none'"},
	}
	if strings.HasPrefix(publicURL, "https://") {
		header.Set("Strict-Transport-Security", "max-age=31536000")
	}
	return header
}

// harden copies the lists of values, not the values: nobody changes one in place.
func (a *API) harden(c *gin.Context) {
	maps.Copy(c.Writer.Header(), a.hardening)
	a.leaveConnection(c)
}
