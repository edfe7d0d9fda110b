package accounts

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/apikey"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/postgres"
)

// wireKey is an API key as it is shown, without its value. Hint is the beginning of the value.
type wireKey struct {
	ID         uuid.UUID `json:"id"`
	Name       string    `json:"name"`
	Hint       string    `json:"hint"`
	Scopes     []string  `json:"scopes"`
	ExpiresAt  *string   `json:"expires_at"`
	LastUsedAt *string   `json:"last_used_at"`
	CreatedAt  *string   `json:"created_at"`
}

func showKey(k apikey.Key) wireKey {
	return wireKey{
		ID: k.ID, Name: k.Name, Hint: k.Hint, Scopes: k.Scopes, ExpiresAt: wire.TimeOrNull(k.ExpiresAt),
		LastUsedAt: wire.TimeOrNull(k.LastUsedAt),
		CreatedAt:  wire.Time(k.CreatedAt),
	}
}

// ListKeys answers with a page of the caller's API keys, the oldest first. The errors are those of the query (see
// request.Query) and of apikey.Service.List.
func (h *Handlers) ListKeys(c *gin.Context, who *postgres.Identity) error {
	return respond.Own(h.Reader, c, who, "api_keys", h.Keys.List, showKey)
}

// CreateKey creates an API key of the caller. The answer has the full value of the key, which cannot be read again. The
// error is Forbidden if the caller's own key lacks a scope of the new key, and otherwise that of the body (see
// request.Object) or of apikey.Service.Issue.
func (h *Handlers) CreateKey(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	in := apikey.Draft{
		Name: body.RequiredText("name"), Scopes: body.Texts("scopes"), ExpiresAt: body.Timestamp("expires_at"),
	}
	if err := body.Err(in.Check); err != nil {
		return err
	}
	issue := func(ctx context.Context) (apikey.Key, string, error) { return h.Keys.Issue(ctx, caller, in) }
	return respond.WithSecret(c, http.StatusCreated, "api_key", "key", issue, showKey)
}

// DeleteKey deletes one of the caller's API keys. The error is NotFound if the caller has no such key.
func (h *Handlers) DeleteKey(c *gin.Context, caller account.Caller) error {
	if err := h.Keys.Delete(c.Request.Context(), caller.UserID, route.PathID(c, "id")); err != nil {
		return err
	}
	return respond.Message(c, "API key deleted")
}
