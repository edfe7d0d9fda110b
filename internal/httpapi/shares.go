package httpapi

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
)

func (a *API) listShares(c *gin.Context) error {
	return answerList(a, c, "id", "shares", a.Companies.Shares, showPerson)
}

// shareCompany lets a member see a company whose visibility is, or becomes, shared.
func (a *API) shareCompany(c *gin.Context) error {
	body, err := a.readObject(c)
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
	id, err := pathID(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	return answerOnce(a, c, http.StatusCreated, func(ctx context.Context) (account.User, error) {
		return a.Companies.Share(ctx, caller.UserID, id, with)
	}, func(person account.User) any { return gin.H{"share": showPerson(person)} })
}

func (a *API) unshareCompany(c *gin.Context) error {
	id, err := pathID(c, "id")
	if err != nil {
		return err
	}
	with, err := pathID(c, "user_id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	if err := a.Companies.Unshare(c.Request.Context(), caller.UserID, id, with); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "Share removed"})
}
