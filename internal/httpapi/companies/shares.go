package companies

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/postgres"
)

// ListShares answers with a page of the people with whom a company is shared, in the order in which it was shared with
// them. The errors are those of the query (see request.Query) and of company.Service.Shares.
func (h *Handlers) ListShares(c *gin.Context, who *postgres.Identity) error {
	return respond.List(h.Reader, c, who, "id", "shares", h.Companies.Shares, showPerson)
}

// Share lets a member of the account see a company while its visibility is shared. It does not change the visibility.
// The errors are those of the body (see request.Object) and of company.Service.Share.
func (h *Handlers) Share(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	with := uuid.Nil
	body.RequiredText("user_id")
	if id := body.ID("user_id"); id != nil {
		with = *id
	}
	if err := body.Err(nil); err != nil {
		return err
	}
	id := route.PathID(c, "id")
	return respond.Once(c, http.StatusCreated, func(ctx context.Context) (account.User, error) {
		return h.Companies.Share(ctx, caller.UserID, id, with)
	}, func(person account.User) any { return gin.H{"share": showPerson(person)} })
}

// Unshare ends the sharing of a company with the user in the path. The error is NotFound if it is not shared with them,
// and otherwise that of company.Service.Unshare.
func (h *Handlers) Unshare(c *gin.Context, caller account.Caller) error {
	with := route.PathID(c, "user_id")
	if err := h.Companies.Unshare(c.Request.Context(), caller.UserID, route.PathID(c, "id"), with); err != nil {
		return err
	}
	return respond.Message(c, "Share removed")
}
