package httpapi

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/wire"
)

// wireKey is what is shown of a key: never the key itself. Hint is how it begins.
type wireKey struct {
	ID         uuid.UUID `json:"id"`
	Name       string    `json:"name"`
	Hint       string    `json:"hint"`
	Scopes     []string  `json:"scopes"`
	ExpiresAt  *string   `json:"expires_at"`
	LastUsedAt *string   `json:"last_used_at"`
	CreatedAt  *string   `json:"created_at"`
}

func showKey(k account.APIKey) wireKey {
	return wireKey{
		ID: k.ID, Name: k.Name, Hint: k.Hint, Scopes: k.Scopes, ExpiresAt: wire.TimeOrNull(k.ExpiresAt),
		LastUsedAt: wire.TimeOrNull(k.LastUsedAt),
		CreatedAt:  wire.Time(k.CreatedAt),
	}
}

func (a *API) listKeys(c *gin.Context) error {
	return answerOwn(a, c, "api_keys", a.Accounts.Keys, showKey)
}

// createKey answers with the full key, this once.
func (a *API) createKey(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	in := account.NewKey{
		Name: body.RequiredText("name"), Scopes: body.Texts("scopes"), ExpiresAt: body.Timestamp("expires_at"),
	}
	if err := body.Err(in.Check); err != nil {
		return err
	}
	caller, _ := callerOf(c)
	var full string
	return answerOnce(a, c, http.StatusCreated, func(ctx context.Context) (key account.APIKey, err error) {
		key, full, err = a.Accounts.IssueKey(ctx, caller, in)
		return key, err
	}, func(key account.APIKey) any { return gin.H{"api_key": showKey(key), "key": full} })
}

func (a *API) deleteKey(c *gin.Context) error {
	id, err := pathID(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	if err := a.Accounts.DeleteKey(c.Request.Context(), caller.UserID, id); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "API key deleted"})
}
