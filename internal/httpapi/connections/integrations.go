// Package connections answers the requests for exchange with other services: integrations, which receive records at
// hooks; webhooks, which send messages; and the feed of changes.
package connections

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/changes"
	"dealflow/internal/httpapi/identity"
	"dealflow/internal/httpapi/limits"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/ingest/hooks"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/ratelimit"
	"dealflow/internal/watch"
	"dealflow/internal/webhook"
)

// Handlers answer the requests for integrations and their hooks, webhooks, and the feed of changes.
type Handlers struct {
	Integrations *hooks.Service
	Webhooks     *webhook.Service
	Feed         *changes.Feed
	FeedWatcher  *watch.Watcher // of accounts in which something happened
	Identities   *identity.Identifier
	Reader       request.Reader
	Admission    *limits.Admission
	Limiter      *ratelimit.Limiter // of callers and addresses
	Stopping     respond.Stopping
	PublicURL    string
}

// HooksPath is the beginning of the paths to which integrations send; the token follows.
const HooksPath = "/hooks/"

// wireIntegration is an integration as it is shown. It has neither its secret nor the signing key of Mailgun.
type wireIntegration struct {
	ID              uuid.UUID `json:"id"`
	Kind            string    `json:"kind"`
	Name            string    `json:"name"`
	Enabled         bool      `json:"enabled"`
	CreateCompanies bool      `json:"create_companies"`
	HookURL         string    `json:"hook_url"`
	CreatedAt       *string   `json:"created_at"`
}

// wireReceipt is a record of something that an integration received and that was not processed at once.
type wireReceipt struct {
	ID          uuid.UUID `json:"id"`
	Status      string    `json:"status"`
	ContentType string    `json:"content_type"`
	Size        int64     `json:"size"`
	Error       *string   `json:"error"`
	CreatedAt   *string   `json:"created_at"`
	FinishedAt  *string   `json:"finished_at"`
}

func (h *Handlers) showIntegration(i hooks.Integration) wireIntegration {
	return wireIntegration{
		ID: i.ID, Kind: i.Kind, Name: i.Name, Enabled: i.Enabled, CreateCompanies: i.CreateCompanies,
		HookURL:   h.PublicURL + HooksPath + i.HookToken,
		CreatedAt: wire.Time(i.CreatedAt),
	}
}

func showReceipt(r hooks.Receipt) wireReceipt {
	shown := wireReceipt{
		ID: r.ID, Status: r.Status, ContentType: r.ContentType, Size: r.SizeBytes, Error: r.Error,
		CreatedAt: wire.Time(r.CreatedAt),
	}
	if r.FinishedAt != nil {
		shown.FinishedAt = wire.Time(*r.FinishedAt)
	}
	return shown
}

// ListIntegrations answers with a page of the integrations of an account, the oldest first. The errors are those of the
// query (see request.Query) and of hooks.Service.List.
func (h *Handlers) ListIntegrations(c *gin.Context, who *postgres.Identity) error {
	return respond.List(h.Reader, c, who, "account_id", "integrations", h.Integrations.List, h.showIntegration)
}

// CreateIntegration creates an integration, and answers with the integration and its secret, which cannot be read
// again. The errors are those of the body (see request.Object) and of hooks.Service.Create.
func (h *Handlers) CreateIntegration(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	in := hooks.NewIntegration{Kind: body.RequiredText("kind"), Name: body.RequiredText("name")}
	if create := body.Boolean("create_companies"); create != nil {
		in.CreateCompanies = *create
	}
	if err := body.Err(in.Check); err != nil {
		return err
	}
	accountID := route.PathID(c, "account_id")
	create := func(ctx context.Context) (hooks.Integration, string, error) {
		return h.Integrations.Create(ctx, caller.UserID, accountID, in)
	}
	return respond.WithSecret(c, http.StatusCreated, "integration", "secret", create, h.showIntegration)
}

// ChangeIntegration changes the members of an integration that the body has. null clears signing_key; no other member
// may be null. The errors are those of the body (see request.Object) and of hooks.Service.Change.
func (h *Handlers) ChangeIntegration(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	body.NotNull("name", "enabled", "create_companies")
	changes := hooks.Change{
		Name: body.Text("name"), Enabled: body.Boolean("enabled"), CreateCompanies: body.Boolean("create_companies"),
		SigningKey: body.ClearableText("signing_key"),
	}
	if err := body.Err(changes.Check); err != nil {
		return err
	}
	return respond.Record(c, caller, "id", "integration", respond.With(h.Integrations.Change, changes), h.showIntegration)
}

// RotateIntegration replaces the secret of an integration, and answers with the integration and the new secret, which
// cannot be read again. The old one is refused at once. The errors are those of hooks.Service.Rotate.
func (h *Handlers) RotateIntegration(c *gin.Context, caller account.Caller) error {
	accountID, id := route.RecordIDs(c, "id")
	rotate := func(ctx context.Context) (hooks.Integration, string, error) {
		return h.Integrations.Rotate(ctx, caller.UserID, accountID, id)
	}
	return respond.WithSecret(c, http.StatusOK, "integration", "secret", rotate, h.showIntegration)
}

// DeleteIntegration deletes an integration. Requests to its hook are then refused. What was stored of its mails and
// forms stays; see hooks.Service.Delete for mails that wait. The errors are those of hooks.Service.Delete.
func (h *Handlers) DeleteIntegration(c *gin.Context, caller account.Caller) error {
	return respond.Removed(c, caller, "id", "Integration deleted", h.Integrations.Delete)
}

// ListReceipts answers with a page of the receipts of an integration, the newest first: records of what it received and
// did not process at once. The errors are those of the query (see request.Query) and of hooks.Service.Receipts.
func (h *Handlers) ListReceipts(c *gin.Context, who *postgres.Identity) error {
	return respond.Own(h.Reader, c, who,
		"receipts", func(ctx context.Context, who *postgres.Identity,
			page paging.Page,
		) ([]hooks.Receipt, *paging.Position, error) {
			accountID, id := route.RecordIDs(c, "id")
			return h.Integrations.Receipts(ctx, who, accountID, id, page)
		}, showReceipt)
}
