package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"dealflow/internal/ingest"
)

// route lists every route. What each needs of authentication and rate limits is decided by its path, in the gate.
func (a *API) route() {
	a.engine.Use(a.identifyRequest, a.observe, a.recoverPanic, a.watchBody, a.harden, a.gate)
	a.engine.NoRoute(a.handle(a.noRoute))
	a.engine.NoMethod(a.handle(a.noMethod))

	a.get("/healthz", a.health)
	a.get("/readyz", a.ready)
	a.get("/docs", a.docs)
	a.get("/files/*path", a.serveFile)
	a.get(sharePath+":code", a.sharedPage)
	a.post(sharePath+":code", a.unlockPage)
	a.get(invitationsPath+":token", a.invitationPage)
	a.post(invitationsPath+":token", a.joinPage)
	a.engine.Match([]string{http.MethodGet, http.MethodHead}, "/metrics", a.operator(a.metricsPage()))
	a.engine.Any(QueuesPath, a.operator(a.Queues))
	a.engine.Any(QueuesPath+"/*path", a.operator(a.Queues))
	a.post(hooksPath+":token", a.receiveHook)

	a.get(base+"/openapi.json", a.openAPI)
	a.get(base+"/accounts", a.listAccounts)
	a.get(base+"/accounts/:account_id/company-statuses", a.listStatuses)
	a.post(base+"/accounts/:account_id/company-statuses", a.createStatus)
	a.patch(base+"/accounts/:account_id/company-statuses/:id", a.changeStatus)
	a.delete(base+"/accounts/:account_id/company-statuses/:id", a.deleteStatus)
	a.get(base+"/accounts/:account_id/company-settings", a.listFields)
	a.post(base+"/accounts/:account_id/company-settings", a.createField)
	a.patch(base+"/accounts/:account_id/company-settings/:id", a.changeField)
	a.delete(base+"/accounts/:account_id/company-settings/:id", a.deleteField)
	a.get(base+"/accounts/:account_id/members", a.listMembers)
	a.patch(base+"/accounts/:account_id/members/:id", a.changeMember)
	a.delete(base+"/accounts/:account_id/members/:id", a.removeMember)
	a.post(base+"/accounts/:account_id/invitations", a.invite)
	a.delete(base+"/accounts/:account_id/invitations/:id", a.revokeInvitation)
	a.get(base+"/accounts/:account_id/meeting-minutes", a.listMinutes)
	a.post(base+"/accounts/:account_id/meeting-minutes", a.createMinutes)
	a.get(base+"/accounts/:account_id/meeting-minutes/:meeting_minutes_id", a.getMinutes)
	a.patch(base+"/accounts/:account_id/meeting-minutes/:meeting_minutes_id", a.changeMinutes)
	a.delete(base+"/accounts/:account_id/meeting-minutes/:meeting_minutes_id", a.deleteMinutes)
	a.get(base+"/accounts/:account_id/form-submissions", a.listSubmissions)
	a.post(base+"/accounts/:account_id/form-submissions", a.createSubmission)
	a.get(base+"/accounts/:account_id/form-submissions/:submission_id", a.getSubmission)
	a.patch(base+"/accounts/:account_id/form-submissions/:submission_id", a.changeSubmission)
	a.get(base+"/accounts/:account_id/emails", a.listEmails)
	a.get(base+"/accounts/:account_id/emails/:email_id", a.getEmail)
	a.patch(base+"/accounts/:account_id/emails/:email_id", a.changeEmail)
	a.postStreamed(base+"/accounts/:account_id/imports/emails", a.startImport(ingest.KindEmails), a.recallImport)
	a.postStreamed(base+"/accounts/:account_id/imports/form-submissions", a.startImport(ingest.KindForms), a.recallImport)
	a.postStreamed(base+"/accounts/:account_id/imports/companies", a.startImport(ingest.KindCompanies), a.recallImport)
	a.get(base+"/accounts/:account_id/imports", a.listImports)
	a.get(base+"/accounts/:account_id/imports/:import_id", a.getImport)
	a.get(base+"/accounts/:account_id/imports/:import_id/errors", a.importErrors)
	a.get(base+"/accounts/:account_id/imports/:import_id/events", a.importEvents)
	a.post(base+"/accounts/:account_id/imports/:import_id/cancel", a.cancelImport)
	a.get(base+"/accounts/:account_id/integrations", a.listIntegrations)
	a.post(base+"/accounts/:account_id/integrations", a.createIntegration)
	a.patch(base+"/accounts/:account_id/integrations/:id", a.changeIntegration)
	a.delete(base+"/accounts/:account_id/integrations/:id", a.deleteIntegration)
	a.post(base+"/accounts/:account_id/integrations/:id/rotate", a.rotateIntegration)
	a.get(base+"/accounts/:account_id/integrations/:id/receipts", a.listReceipts)
	a.get(base+"/accounts/:account_id/shared-links", a.listLinks)
	a.post(base+"/accounts/:account_id/shared-links", a.createLink)
	a.get(base+"/accounts/:account_id/shared-links/:id", a.getLink)
	a.delete(base+"/accounts/:account_id/shared-links/:id", a.deleteLink)
	a.get(base+"/accounts/:account_id/dashboard", a.dashboard)
	a.get(base+"/api-keys", a.listKeys)
	a.post(base+"/api-keys", a.createKey)
	a.delete(base+"/api-keys/:id", a.deleteKey)
	a.post(base+"/auth/login", a.login)
	a.post(base+"/auth/register", a.register)
	a.post(base+"/auth/logout", a.logout)
	a.get(base+"/auth/me", a.me)
	a.post(base+"/invitations/accept", a.acceptInvitation)
	a.get(base+"/companies", a.listCompanies)
	a.post(base+"/companies", a.createCompany)
	a.postRecalled(base+"/companies/upload/ai", a.createByAI, a.recallByAI)
	a.get(base+"/companies/:id", a.getCompany)
	a.patch(base+"/companies/:id", a.changeCompany)
	a.delete(base+"/companies/:id", a.deleteCompany)
	a.get(base+"/companies/:id/download", a.downloadDeck)
	a.get(base+"/companies/:id/attachments", a.listAttachments)
	a.post(base+"/companies/:id/attachments", a.attach)
	a.delete(base+"/companies/:id/attachments/:attachment_id", a.detach)
	a.get(base+"/companies/:id/attachments/:attachment_id/download", a.downloadAttachment)
	a.get(base+"/companies/:id/shares", a.listShares)
	a.post(base+"/companies/:id/shares", a.shareCompany)
	a.delete(base+"/companies/:id/shares/:user_id", a.unshareCompany)
}

// get also answers HEAD; the server leaves the body out.
func (a *API) get(path string, h handler) {
	a.engine.GET(path, a.handle(h))
	a.engine.HEAD(path, a.handle(h))
}

// post also lets a request be sent again with an Idempotency-Key.
func (a *API) post(path string, h handler) { a.postRecalled(path, h, nil) }

// postRecalled is post for what can be answered anew where the process that did it was lost.
func (a *API) postRecalled(path string, h handler, again recall) {
	if takesKey(path) {
		h = a.once(h, again, a.fingerprint)
	}
	a.engine.POST(path, a.handle(h))
}

// postStreamed is postRecalled for a body that is too long to be known before something is done with it: by a key, requests are told apart by all but
// their body.
func (a *API) postStreamed(path string, h handler, again recall) {
	a.engine.POST(path, a.handle(a.once(h, again, headFingerprint)))
}

func (a *API) patch(path string, h handler)  { a.engine.PATCH(path, a.handle(h)) }
func (a *API) delete(path string, h handler) { a.engine.DELETE(path, a.handle(h)) }

// harden sets what every answer should tell a browser. Answers about deals are kept by nobody on the way.
func (a *API) harden(c *gin.Context) {
	header := c.Writer.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
}
