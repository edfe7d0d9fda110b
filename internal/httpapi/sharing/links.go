// Package sharing answers the requests for shared links, and shows what they share to people without an account.
package sharing

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/files"
	"dealflow/internal/httpapi/limits"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/markdown"
	"dealflow/internal/postgres"
	"dealflow/internal/ratelimit"
	"dealflow/internal/share"
	"dealflow/internal/share/visitor"
	"dealflow/internal/slides"
)

// Handlers answer the requests for shared links, and show what they share to people without an account.
type Handlers struct {
	Shares      *share.Service
	Visitors    *visitor.Service
	Slides      *slides.Slides
	Files       *files.Handlers
	Pages       *Pages
	Markdown    *markdown.Renderer
	Reader      request.Reader
	Guesses     *limits.Guesses
	FewGuesses  *ratelimit.Limiter // of passwords of a link from an address
	ManyGuesses *ratelimit.Limiter // of passwords of a link from anywhere, and of all links from an address
	PublicURL   string
	Now         func() time.Time
}

// wireMadeLink is a shared link in the answer to its creation.
type wireMadeLink struct {
	ID        uuid.UUID `json:"id"`
	ShortCode string    `json:"short_code"`
	ShortURL  string    `json:"short_url"`
}

// wireLink is a single shared link or one in a list.
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

// Version returns the link without what changes when somebody opens it or when it expires: ViewCount, LastOpenedAt and
// IsActive. The version of the link is computed from the rest.
func (w wireLink) Version() any {
	w.ViewCount, w.LastOpenedAt, w.IsActive = 0, nil, false
	return w
}

// LinkVersion returns the version, for its ETag, of a shared link. It returns an error if current is not a
// share.Listed.
func (h *Handlers) LinkVersion(current any) (string, error) {
	return respond.Version(current, h.showLink)
}

// CreateLink creates a shared link, and answers with its id, its code and its URL. The error is that of
// request.Reader.Object, InvalidBody if members are of a wrong type, or that of share.Service.Create.
func (h *Handlers) CreateLink(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	draft := share.Draft{
		Name: body.Text("name"), Description: body.Text("description"), Password: body.Text("password"),
		ExpiresAt: body.Timestamp("expires_at"),
		AskEmail:  body.Flag("ask_email"), ViewOnly: body.Flag("view_only"), Watermark: body.Flag("watermark"),
		Companies: sharedCompanies(body),
	}
	if err := body.Err(func() error { return h.Shares.Check(draft) }); err != nil {
		return err
	}
	accountID := route.PathID(c, "account_id")
	return respond.Once(c, http.StatusCreated, func(ctx context.Context) (share.Link, error) {
		return h.Shares.Create(ctx, caller.UserID, accountID, draft)
	}, func(made share.Link) any {
		return gin.H{"link": wireMadeLink{ID: made.ID, ShortCode: made.ShortCode, ShortURL: h.shortURL(made.ShortCode)}}
	})
}

// sharedCompanies returns the companies that a link is to show. It returns nil if the member was not sent, and also if
// it is not a list of objects or has more than share.MaxCompanies, which it records in o. It also records in o each
// company_id or permissions that is missing or malformed; that company is then returned without it. The domain checks
// the values.
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
	if len(items) > share.MaxCompanies { // refused before each is read: a body may hold hundreds of thousands
		o.Refuse("companies", fmt.Sprintf("are more than %d", share.MaxCompanies))
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

// ListLinks answers with a page of the shared links of an account that the caller sees, the newest first. The error is
// InvalidQuery for an invalid parameter of the page, and otherwise that of share.Service.List.
func (h *Handlers) ListLinks(c *gin.Context, who *postgres.Identity) error {
	return respond.List(h.Reader, c, who, "account_id", "links", h.Shares.List, h.showLink)
}

// GetLink answers with a shared link. The errors are those of share.Service.Get.
func (h *Handlers) GetLink(c *gin.Context, who *postgres.Identity) error {
	return respond.Read(c, who, "id", "link", h.Shares.Get, h.showLink)
}

// DeleteLink deletes a shared link. Nobody can open it after that. The errors are those of share.Service.Delete.
func (h *Handlers) DeleteLink(c *gin.Context, caller account.Caller) error {
	return respond.Removed(c, caller, "id", "Shared link deleted", h.Shares.Delete)
}

func (h *Handlers) showLink(link share.Listed) wireLink {
	shown := wireLink{
		ID: link.ID, AccountID: link.AccountID, Name: link.Name, Description: link.Description, ShortCode: link.ShortCode,
		ShortURL:          h.shortURL(link.ShortCode),
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

func (h *Handlers) shortURL(code string) string { return h.PublicURL + Path + code }
