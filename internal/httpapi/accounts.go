package httpapi

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/wire"
)

// wireAccount is an account as its member sees it.
type wireAccount struct {
	ID        uuid.UUID `json:"id"`
	Name      string    `json:"name"`
	Role      string    `json:"role"`
	CreatedAt *string   `json:"created_at"`
	UpdatedAt *string   `json:"updated_at"`
}

func (a *API) listAccounts(c *gin.Context) error {
	return answerOwn(a, c, "accounts", a.Accounts.Accounts, showAccount)
}

func showAccount(j account.Joined) wireAccount {
	return wireAccount{
		ID: j.ID, Name: j.Name, Role: j.Role, CreatedAt: wire.Time(j.CreatedAt), UpdatedAt: wire.Time(j.UpdatedAt),
	}
}
