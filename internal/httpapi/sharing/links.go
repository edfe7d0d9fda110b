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

// Version returns the parts of a link from which its version is computed: all but the number and the time of its
// visits, and whether it is active.
func (w wireLink) Version() any {
	w.ViewCount, w.LastOpenedAt, w.IsActive = 0, nil, false
	return w
}

// LinkVersion returns the version, for its ETag, of a shared link, which must be a share.Listed.
func (h *Handlers) LinkVersion(current any) (string, error) {
	return respond.Version(current, h.showLink)
}

// CreateLink creates a shared link, and answers with its id, its code and its URL. The errors are those of
// share.Service.Create.
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

// sharedCompanies returns the companies that a link is to show; nil if the member was not sent or is refused. It
// records in o a member that is not a list of at most share.MaxCompanies objects with company_id and permissions; the
// domain checks the values.
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

// ListLinks answers with a page of the shared links of an account that the caller sees, the newest first. The errors
// are those of share.Service.List.
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
