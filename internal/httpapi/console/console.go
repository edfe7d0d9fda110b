// Package console serves the pages of the console. Their forms are handled as the requests of the API are.
package console

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account/signin"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/httpapi/accounts"
	"dealflow/internal/httpapi/companies"
	"dealflow/internal/httpapi/identity"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/transfers"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/outage"
	"dealflow/internal/pages/frame"
)

// Handlers serve the pages of the console.
type Handlers struct {
	Pages      *frame.Server
	Accounts   *accounts.Handlers
	Companies  *companies.Handlers
	Transfers  *transfers.Handlers
	Identities *identity.Identifier
	Database   *outage.Server
}

// Page serves the page of the console at the path of the request, or handles its form. It always returns nil, since the
// console answers errors with pages of its own.
func (h *Handlers) Page(c *gin.Context) error {
	caller, _ := route.Caller(c)
	visitor := frame.Visitor{
		Who: route.Identity(c), Caller: caller, Guard: h.Accounts.Guard(c),
		Enter:     func(entry signin.Entry) { h.Accounts.Enter(c, entry) },
		Leave:     func() { h.Accounts.Leave(c) },
		Failed:    func(err error) int { return respond.Note(c, h.Database, err) },
		CountMail: func() error { return h.Accounts.CountReset(c) },
		Take:      func(in frame.Creation) (aicreation.Created, error) { return h.Companies.CreateOnPage(c, caller, in) },
		Attach:    func(companyID uuid.UUID) error { return h.Companies.AttachOnPage(c, caller, companyID) },
		Import: func(accountID uuid.UUID) (imports.Import, error) {
			return h.Transfers.StartImportOnPage(c, caller, accountID)
		},
		Still: func() bool { return h.Identities.IsStillSession(c) },
	}
	h.Pages.ServeHTTP(c.Writer, c.Request.WithContext(frame.With(c.Request.Context(), visitor)))
	return nil
}

// Refuse answers with the page of the console for an error. It first reads the rest of the body within the limits of
// request.Drain. It always returns nil.
func (h *Handlers) Refuse(c *gin.Context, err error) error {
	request.Drain(c.Writer, c.Request)
	status, _ := respond.StatusOf(respond.KindOf(err))
	h.Pages.Refuse(c.Writer, c.Request, status, err)
	return nil
}
