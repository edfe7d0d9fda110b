package httpapi

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/webhook"
)

// wireWebhook is what is shown of a webhook: never its secret.
type wireWebhook struct {
	ID             uuid.UUID `json:"id"`
	URL            string    `json:"url"`
	Description    string    `json:"description"`
	EventTypes     []string  `json:"event_types"`
	Enabled        bool      `json:"enabled"`
	DisabledReason *string   `json:"disabled_reason"`
	FailingSince   *string   `json:"failing_since"`
	CreatedBy      uuid.UUID `json:"created_by"`
	CreatedAt      *string   `json:"created_at"`
	UpdatedAt      *string   `json:"updated_at"`
}

type wireDelivery struct {
	ID          uuid.UUID `json:"id"`
	EventType   string    `json:"event_type"`
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
		ID: w.ID, URL: w.URL, Description: w.Description, EventTypes: w.EventTypes, Enabled: w.Enabled,
		DisabledReason: w.DisabledReason, FailingSince: wire.TimeOrNull(w.FailingSince),
		CreatedBy: w.CreatedBy, CreatedAt: wire.Time(w.CreatedAt), UpdatedAt: wire.Time(w.UpdatedAt),
	}
}

func showDelivery(d webhook.Delivery) wireDelivery {
	return wireDelivery{
		ID: d.ID, EventType: d.EventType, Body: d.Body, State: d.State, Attempts: d.Attempts, StatusCode: d.StatusCode,
		Error: d.Error, CreatedAt: wire.Time(d.CreatedAt), AttemptedAt: wire.TimeOrNull(d.AttemptedAt), NextAt: wire.TimeOrNull(d.NextAt),
	}
}

func (a *API) listWebhooks(c *gin.Context) error {
	return answerList(a, c, "account_id", "webhooks", a.Webhooks.List, showWebhook)
}

// createWebhook answers with the secret, this once.
func (a *API) createWebhook(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	in := webhook.Draft{
		URL: body.RequiredText("url"), Description: body.OptionalText("description"), EventTypes: body.Texts("event_types"),
	}
	if err := body.Err(in.Check); err != nil {
		return err
	}
	accountID, err := pathID(c, "account_id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	return a.answerWebhook(c, http.StatusCreated, func(ctx context.Context) (webhook.Webhook, string, error) {
		return a.Webhooks.Create(ctx, caller.UserID, accountID, in)
	})
}

// answerWebhook answers with a webhook and its new secret, which is shown this once.
func (a *API) answerWebhook(
	c *gin.Context, status int, do func(context.Context) (webhook.Webhook, string, error),
) error {
	var secret string
	return answerOnce(a, c, status, func(ctx context.Context) (made webhook.Webhook, err error) {
		made, secret, err = do(ctx)
		return made, err
	}, func(made webhook.Webhook) any {
		return gin.H{"webhook": showWebhook(made), "secret": secret}
	})
}

// changeWebhook changes only what the body names.
func (a *API) changeWebhook(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	body.NotNull("url", "description", "event_types", "enabled")
	change := webhook.Change{
		URL: body.Text("url"), Description: body.Text("description"), Enabled: body.Boolean("enabled"),
	}
	if body.Sent("event_types") {
		change.EventTypes = new(body.Texts("event_types"))
	}
	if err := body.Err(change.Check); err != nil {
		return err
	}
	accountID, id, err := recordIDs(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	changed, err := a.Webhooks.Change(c.Request.Context(), caller.UserID, accountID, id, change)
	if err != nil {
		return err
	}
	return a.ok(c, gin.H{"webhook": showWebhook(changed)})
}

// rotateWebhook answers with the new secret, this once.
func (a *API) rotateWebhook(c *gin.Context) error {
	accountID, id, err := recordIDs(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	return a.answerWebhook(c, http.StatusOK, func(ctx context.Context) (webhook.Webhook, string, error) {
		return a.Webhooks.Rotate(ctx, caller.UserID, accountID, id)
	})
}

func (a *API) deleteWebhook(c *gin.Context) error {
	accountID, id, err := recordIDs(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	if err := a.Webhooks.Delete(c.Request.Context(), caller.UserID, accountID, id); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "Webhook deleted"})
}

// testWebhook sends a message that says nothing.
func (a *API) testWebhook(c *gin.Context) error {
	accountID, id, err := recordIDs(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	return a.answerDelivery(c, func(ctx context.Context) (webhook.Delivery, error) {
		return a.Webhooks.Test(ctx, caller.UserID, accountID, id)
	})
}

func (a *API) answerDelivery(c *gin.Context, do func(context.Context) (webhook.Delivery, error)) error {
	return answerOnce(a, c, http.StatusAccepted, do, func(d webhook.Delivery) any {
		return gin.H{"delivery": showDelivery(d)}
	})
}

func (a *API) listDeliveries(c *gin.Context) error {
	params := request.ReadQuery(c.Request)
	state := params.Choice("state", "", webhook.Pending, webhook.Delivered, webhook.Failed)
	page := params.Page(a.Secrets)
	if err := params.Err(); err != nil {
		return err
	}
	accountID, id, err := recordIDs(c, "id")
	if err != nil {
		return err
	}
	found, next, err := a.Webhooks.Deliveries(c.Request.Context(), identityOf(c), accountID, id, state, page.Page)
	if err != nil {
		return err
	}
	return a.ok(c, gin.H{"deliveries": showAll(found, showDelivery), "pagination": page.Pagination(next)})
}

// replayWebhook sends again what was sent since a time.
func (a *API) replayWebhook(c *gin.Context) error {
	body, err := a.readObject(c)
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
	accountID, id, err := recordIDs(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	return answerOnce(a, c, http.StatusAccepted, func(ctx context.Context) (webhook.Replayed, error) {
		return a.Webhooks.Replay(ctx, caller.UserID, accountID, id, *since, failedOnly)
	}, func(done webhook.Replayed) any { return gin.H{"replayed": done.Count, "has_more": done.More} })
}

func (a *API) replayDelivery(c *gin.Context) error {
	accountID, id, err := recordIDs(c, "id")
	if err != nil {
		return err
	}
	deliveryID, err := pathID(c, "delivery_id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	return a.answerDelivery(c, func(ctx context.Context) (webhook.Delivery, error) {
		return a.Webhooks.ReplayOne(ctx, caller.UserID, accountID, id, deliveryID)
	})
}
