package connections

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/webhook"
)

// wireWebhook is a webhook as it is shown, without its secret.
type wireWebhook struct {
	ID             uuid.UUID `json:"id"`
	URL            string    `json:"url"`
	Description    string    `json:"description"`
	Events         []string  `json:"events"`
	Enabled        bool      `json:"enabled"`
	DisabledReason *string   `json:"disabled_reason"`
	FailingSince   *string   `json:"failing_since"`
	CreatedBy      uuid.UUID `json:"created_by"`
	CreatedAt      *string   `json:"created_at"`
	UpdatedAt      *string   `json:"updated_at"`
}

type wireDelivery struct {
	ID          uuid.UUID `json:"id"`
	Event       string    `json:"event"`
	Body        string    `json:"body"`
	State       string    `json:"state"`
	Attempts    int       `json:"attempts"`
	StatusCode  *int      `json:"status_code"`
	Error       *string   `json:"error"`
	CreatedAt   *string   `json:"created_at"`
	AttemptedAt *string   `json:"attempted_at"`
	NextAt      *string   `json:"next_attempt_at"`
}

func showWebhook(w webhook.Webhook) wireWebhook {
	return wireWebhook{
		ID: w.ID, URL: w.URL, Description: w.Description, Events: w.EventTypes, Enabled: w.Enabled,
		DisabledReason: w.DisabledReason, FailingSince: wire.TimeOrNull(w.FailingSince),
		CreatedBy: w.CreatedBy, CreatedAt: wire.Time(w.CreatedAt), UpdatedAt: wire.Time(w.UpdatedAt),
	}
}

func showDelivery(d webhook.Delivery) wireDelivery {
	return wireDelivery{
		ID: d.ID, Event: d.EventType, Body: d.Body, State: d.State, Attempts: d.Attempts, StatusCode: d.StatusCode,
		Error: d.Error, CreatedAt: wire.Time(d.CreatedAt), AttemptedAt: wire.TimeOrNull(d.AttemptedAt),
		NextAt: wire.TimeOrNull(d.NextAt),
	}
}

// ListWebhooks answers with a page of the webhooks of an account, the oldest first. The error is NotFound or Forbidden
// if the caller is not an owner or admin of the account, and otherwise that of the query (see request.Query).
func (h *Handlers) ListWebhooks(c *gin.Context, who *postgres.Identity) error {
	return respond.List(h.Reader, c, who, "account_id", "webhooks", h.Webhooks.List, showWebhook)
}

// WebhookVersion returns the version, for its ETag, of a webhook, which must be a webhook.Webhook.
func (h *Handlers) WebhookVersion(current any) (string, error) {
	return respond.Version(current, showWebhook)
}

// GetWebhook answers with a webhook. The error is NotFound if the account has no such webhook, and NotFound or
// Forbidden if the caller is not an owner or admin of the account.
func (h *Handlers) GetWebhook(c *gin.Context, who *postgres.Identity) error {
	return respond.Read(c, who, "id", "webhook", h.Webhooks.Get, showWebhook)
}

// CreateWebhook creates a webhook, and answers with the webhook and its secret, which cannot be read again. The error
// is NotFound or Forbidden if the caller is not an owner or admin of the account, and otherwise that of the body (see
// request.Object) or of webhook.Service.Create.
func (h *Handlers) CreateWebhook(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	in := webhook.Draft{
		URL: body.RequiredText("url"), Description: body.OptionalText("description"), EventTypes: body.Texts("events"),
		Enabled: body.Boolean("enabled"),
	}
	if err := body.Err(in.Check); err != nil {
		return err
	}
	accountID := route.PathID(c, "account_id")
	create := func(ctx context.Context) (webhook.Webhook, string, error) {
		return h.Webhooks.Create(ctx, caller.UserID, accountID, in)
	}
	return respond.WithSecret(c, http.StatusCreated, "webhook", "secret", create, showWebhook)
}

// ChangeWebhook changes the members of a webhook that the body has. No member may be null. The errors are those of the
// body (see request.Object), of GetWebhook and of webhook.Service.Change.
func (h *Handlers) ChangeWebhook(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	body.NotNull("url", "description", "events", "enabled")
	change := webhook.Change{
		URL: body.Text("url"), Description: body.Text("description"), Enabled: body.Boolean("enabled"),
	}
	if body.Sent("events") {
		change.EventTypes = new(body.Texts("events"))
	}
	if err := body.Err(change.Check); err != nil {
		return err
	}
	return respond.Record(c, caller, "id", "webhook", respond.With(h.Webhooks.Change, change), showWebhook)
}

// RotateWebhook replaces the secret of a webhook, and answers with the webhook and the new secret, which cannot be read
// again. For a day, messages are signed with the old one too. The errors are those of GetWebhook.
func (h *Handlers) RotateWebhook(c *gin.Context, caller account.Caller) error {
	accountID, id := route.RecordIDs(c, "id")
	rotate := func(ctx context.Context) (webhook.Webhook, string, error) {
		return h.Webhooks.Rotate(ctx, caller.UserID, accountID, id)
	}
	return respond.WithSecret(c, http.StatusOK, "webhook", "secret", rotate, showWebhook)
}

// DeleteWebhook deletes a webhook and its deliveries. The errors are those of GetWebhook, and Changed if If-Match of
// the request names another version of the webhook.
func (h *Handlers) DeleteWebhook(c *gin.Context, caller account.Caller) error {
	return respond.Removed(c, caller, "id", "Webhook deleted", h.Webhooks.Delete)
}

// TestWebhook queues a test message to the receiver of a webhook, and answers 202 with its delivery. The error is
// Conflict if the webhook is disabled, and otherwise that of GetWebhook.
func (h *Handlers) TestWebhook(c *gin.Context, caller account.Caller) error {
	accountID, id := route.RecordIDs(c, "id")
	return h.answerDelivery(c, func(ctx context.Context) (webhook.Delivery, error) {
		return h.Webhooks.Test(ctx, caller.UserID, accountID, id)
	})
}

func (h *Handlers) answerDelivery(c *gin.Context, do func(context.Context) (webhook.Delivery, error)) error {
	return respond.Once(c, http.StatusAccepted, do, func(d webhook.Delivery) any {
		return gin.H{"delivery": showDelivery(d)}
	})
}

// ListDeliveries answers with a page of the deliveries of a webhook, the newest first. The parameter state restricts
// them to one state. The errors are those of the query (see request.Query) and of GetWebhook.
func (h *Handlers) ListDeliveries(c *gin.Context, who *postgres.Identity) error {
	return respond.Filtered(h.Reader, c, who, "deliveries",
		func(params *request.Query) respond.ListPage[webhook.Delivery] {
			state := params.Choice("state", "", webhook.Pending, webhook.Delivered, webhook.Failed)
			return func(
				ctx context.Context, who *postgres.Identity, accountID uuid.UUID, page paging.Page,
			) ([]webhook.Delivery, *paging.Position, error) {
				return h.Webhooks.Deliveries(ctx, who, accountID, route.PathID(c, "id"), state, page)
			}
		}, showDelivery)
}

// ReplayWebhook queues again the deliveries of a webhook that were created at or after the time since in the body; only
// the failed ones if failed_only is true. It queues at most 1000 of them, the oldest, and none that is pending. If more
// are left, has_more in the answer is true, and next_since is the time from which to continue. The errors are those of
// the body (see request.Object) and of GetWebhook.
func (h *Handlers) ReplayWebhook(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	since, failedOnly := body.Timestamp("since"), body.Flag("failed_only")
	if since == nil {
		body.Refuse("since", "is required: a time such as 2026-03-02T10:00:00Z")
	}
	if err := body.Err(nil); err != nil {
		return err
	}
	accountID, id := route.RecordIDs(c, "id")
	return respond.Once(c, http.StatusAccepted, func(ctx context.Context) (webhook.Replayed, error) {
		return h.Webhooks.Replay(ctx, caller.UserID, accountID, id, *since, failedOnly)
	}, func(done webhook.Replayed) any {
		return gin.H{"replayed": done.Count, "has_more": done.Next != nil, "next_since": wire.TimeOrNull(done.Next)}
	})
}

// ReplayDelivery queues a delivery of a webhook again, and answers 202 with it. The error is Conflict if the delivery
// is pending, NotFound if the webhook has no such delivery, and otherwise that of GetWebhook.
func (h *Handlers) ReplayDelivery(c *gin.Context, caller account.Caller) error {
	accountID, id := route.RecordIDs(c, "id")
	deliveryID := route.PathID(c, "delivery_id")
	return h.answerDelivery(c, func(ctx context.Context) (webhook.Delivery, error) {
		return h.Webhooks.ReplayOne(ctx, caller.UserID, accountID, id, deliveryID)
	})
}
