package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/share"
)

// wireMadeLink is a shared link in the answer that makes it.
type wireMadeLink struct {
	ID        uuid.UUID `json:"id"`
	ShortCode string    `json:"short_code"`
	ShortURL  string    `json:"short_url"`
}

// wireLink is a shared link by itself or in a list.
type wireLink struct {
	ID                uuid.UUID         `json:"id"`
	AccountID         uuid.UUID         `json:"account_id"`
	Name              *string           `json:"name"`
	Description       *string           `json:"description"`
	ShortCode         string            `json:"short_code"`
	ShortURL          string            `json:"short_url"`
	PasswordProtected bool              `json:"password_protected"`
	IsActive          bool              `json:"is_active"`
	ExpiresAt         *string           `json:"expires_at"`
	AskEmail          bool              `json:"ask_email"`
	ViewOnly          bool              `json:"view_only"`
	Watermark         bool              `json:"watermark"`
	ViewCount         int64             `json:"view_count"`
	LastOpenedAt      *string           `json:"last_opened_at"`
	Companies         []wireLinkCompany `json:"companies"`
	CreatedBy         uuid.UUID         `json:"created_by"`
	CreatedAt         *string           `json:"created_at"`
	UpdatedAt         *string           `json:"updated_at"`
}

type wireLinkCompany struct {
	CompanyID   uuid.UUID `json:"company_id"`
	CompanyName string    `json:"company_name"`
	Permissions string    `json:"permissions"`
}

func (a *API) createLink(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	draft := share.Draft{
		Name: body.Text("name"), Description: body.Text("description"), Password: body.Text("password"),
		ExpiresAt: body.Timestamp("expires_at"),
		AskEmail:  body.Flag("ask_email"), ViewOnly: body.Flag("view_only"), Watermark: body.Flag("watermark"),
		Companies: sharedCompanies(body),
	}
	if err := body.Err(func() error { return a.Shares.Check(draft) }); err != nil {
		return err
	}
	account, err := pathID(c, "account_id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	return answerOnce(a, c, http.StatusCreated, func(ctx context.Context) (share.Link, error) {
		return a.Shares.Create(ctx, caller.UserID, account, draft)
	}, func(made share.Link) any {
		return gin.H{"link": wireMadeLink{ID: made.ID, ShortCode: made.ShortCode, ShortURL: a.shortURL(made.ShortCode)}}
	})
}

// sharedCompanies returns what a link is to show; what it may hold is for the domain to say.
func sharedCompanies(o *request.Object) []share.Wanted {
	raw, sent := o.Value("companies")
	if !sent {
		return nil
	}
	var items []map[string]json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		o.Refuse("companies", "must be an array of objects, each with company_id and permissions")
		return nil
	}
	wanted := make([]share.Wanted, len(items))
	for i, item := range items {
		one, field := request.NewObject(item), fmt.Sprintf("companies.%d.", i)
		one.RequiredText("company_id")
		if id := one.ID("company_id"); id != nil && len(one.Wrong()) == 0 {
			wanted[i].CompanyID = *id
		}
		wanted[i].Permissions = one.RequiredText("permissions")
		for _, problem := range one.Wrong() {
			o.Refuse(field+problem.Field, problem.Message)
		}
	}
	return wanted
}

func (a *API) listLinks(c *gin.Context) error {
	return answerList(a, c, "account_id", "links", a.Shares.List, a.showLink)
}

func (a *API) getLink(c *gin.Context) error {
	return readRecord(a, c, recordOf{"id", "link"}, a.Shares.Get, a.showLink)
}

func (a *API) deleteLink(c *gin.Context) error {
	account, id, err := recordIDs(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	if err := a.Shares.Delete(c.Request.Context(), caller.UserID, account, id); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "Shared link deleted"})
}

func (a *API) showLink(link share.Listed) wireLink {
	shown := wireLink{
		ID: link.ID, AccountID: link.AccountID, Name: link.Name, Description: link.Description, ShortCode: link.ShortCode,
		ShortURL:          a.shortURL(link.ShortCode),
		PasswordProtected: link.PasswordProtected, IsActive: link.Active, ViewCount: link.ViewCount,
		AskEmail: link.AskEmail, ViewOnly: link.ViewOnly, Watermark: link.Watermark,
		Companies: make([]wireLinkCompany, len(link.Companies)),
		CreatedBy: link.CreatedBy, CreatedAt: wire.Time(link.CreatedAt), UpdatedAt: wire.Time(link.UpdatedAt),
	}
	if link.ExpiresAt != nil {
		shown.ExpiresAt = wire.Time(*link.ExpiresAt)
	}
	if link.OpenedAt != nil {
		shown.LastOpenedAt = wire.Time(*link.OpenedAt)
	}
	for i, one := range link.Companies {
		shown.Companies[i] = wireLinkCompany(one)
	}
	return shown
}

func (a *API) shortURL(code string) string { return a.PublicURL + sharePath + code }
