package accounts

import (
	"context"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/postgres"
)

// wireUser is a user as they see themselves.
type wireUser struct {
	ID         uuid.UUID `json:"id"`
	Email      string    `json:"email"`
	Verified   bool      `json:"email_verified"`
	HasFactor  bool      `json:"totp_enabled"`
	Name       string    `json:"name"`
	PictureURL *string   `json:"picture_url"`
	CreatedAt  *string   `json:"created_at"`
	UpdatedAt  *string   `json:"updated_at"`
}

// wireMe is the caller and the accounts that they belong to.
type wireMe struct {
	User     wireUser      `json:"user"`
	Accounts []wireAccount `json:"accounts"`
}

// Me answers with the caller and at most account.Most of the accounts that they belong to.
func (h *Handlers) Me(c *gin.Context, who *postgres.Identity) error {
	me, err := h.describe(c.Request.Context(), who)
	if err != nil {
		return err
	}
	return respond.Tagged(c, me)
}

func (h *Handlers) describe(ctx context.Context, who *postgres.Identity) (wireMe, error) {
	self, err := h.Accounts.Self(ctx, who)
	if err != nil {
		return wireMe{}, err
	}
	return wireMe{Accounts: respond.All(self.Accounts, showAccount), User: wireUser{
		ID: self.ID, Email: self.Email, Verified: self.ProvenAt != nil, HasFactor: self.HasFactor, Name: self.Name,
		PictureURL: self.PictureURL,
		CreatedAt:  wire.Time(self.CreatedAt), UpdatedAt: wire.Time(self.UpdatedAt),
	}}, nil
}
