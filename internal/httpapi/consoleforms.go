package httpapi

import (
	"cmp"
	"context"
	"io"
	"maps"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/pages"
)

// takeOnPage takes in the form of a page as createByAI takes one in.
func (a *API) takeOnPage(c *gin.Context, in pages.Creation) (company.Created, error) {
	shape := a.creationForm()
	shape.Names, shape.Browser, shape.Repeated = append(shape.Names, in.Fields...), true, pages.RepeatedField
	next := 0
	shape.FileAt = func(name string) (int, bool) {
		if name == "file" {
			next++
			return next - 1, true
		}
		return filePosition(name)
	}
	shape.Prepare = func(fields map[string]string) {
		in.Prepare(fields)
		fields["account_id"] = in.AccountID.String()
	}
	draft, err := a.receive(c, shape)
	if err != nil {
		return company.Created{}, err
	}
	return a.createAndWait(c, draft)
}

// attachOnPage takes in the form of a page as attach takes one in.
func (a *API) attachOnPage(c *gin.Context, companyID uuid.UUID) error {
	shape := a.attachmentForm()
	shape.Browser, shape.Repeated, shape.Prepare = true, pages.RepeatedField, func(fields map[string]string) {
		maps.DeleteFunc(fields, func(_, sent string) bool { return sent == "" })
	}
	in, leave, err := a.receiveAttachment(c, companyID, nil, shape)
	if err != nil {
		return err
	}
	defer leave()
	caller, _ := callerOf(c)
	_, err = a.Companies.Attach(c.Request.Context(), caller.UserID, in)
	return err
}

// importOnPage takes in the form of a page as startImport takes a file in.
func (a *API) importOnPage(c *gin.Context, accountID uuid.UUID) (imports.Import, error) {
	file, fields, err := openImportForm(c)
	if err != nil {
		return imports.Import{}, err
	}
	order := imports.Request{
		ID: uuid.New(), AccountID: accountID, Kind: fields["kind"], RequestID: requestIDOf(c),
		CreateCompanies: fields["create_companies"] != "" && fields["kind"] != imports.KindCompanies,
	}
	return a.takeImport(c, order, file)
}

// isStill reports whether the session that a page was asked with still is one.
func (a *API) isStill(c *gin.Context) bool {
	cookie, err := c.Request.Cookie(sessionCookie)
	if err != nil {
		return false
	}
	who := account.BySession(cookie.Value)
	return a.Accounts.Prove(c.Request.Context(), who) == nil && who.Proven()
}

// receiveAttachment reads the form and stores its file. The path is looked at last, as everywhere: until then the
// file lies under an id that may be nobody's. Where it refuses, nothing stays stored; else leave must be called.
func (a *API) receiveAttachment(
	c *gin.Context, id uuid.UUID, wrongPath error, shape request.FormShape,
) (in company.NewAttachment, leave func(), err error) {
	form, err := request.OpenForm(c.Writer, c.Request, shape)
	if err != nil {
		return in, nil, err
	}
	caller, _ := callerOf(c)
	left, err := a.admission.enter(caller.UserID)
	if err != nil {
		return in, nil, err
	}
	ctx := c.Request.Context()
	in = company.NewAttachment{CompanyID: id, RequestID: requestIDOf(c)}
	form.Store = func(_ int, fileName string, r io.Reader) error {
		up, err := a.Companies.ReceiveAttachment(ctx, id, fileName, r)
		if err == nil {
			in.Upload = &up
		}
		return err
	}
	if err = form.Read(); err == nil {
		err = cmp.Or(readAttachment(form, &in), wrongPath)
	}
	var done func()
	if err == nil {
		done, err = a.admission.store(ctx)
	}
	if err != nil {
		a.discardAttachment(ctx, in)
		left()
		return in, nil, err
	}
	return in, func() { done(); left() }, nil
}

func (a *API) discardAttachment(ctx context.Context, in company.NewAttachment) {
	if in.Upload != nil {
		a.Companies.Discard(ctx, in.CompanyID, []company.Upload{*in.Upload})
	}
}
