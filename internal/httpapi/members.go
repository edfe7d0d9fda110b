package httpapi

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/wire"
)

// wireMember is a membership; ID is its own, UserID whose it is.
type wireMember struct {
	ID         uuid.UUID `json:"id"`
	UserID     uuid.UUID `json:"user_id"`
	AccountID  uuid.UUID `json:"account_id"`
	Role       string    `json:"role"`
	Name       string    `json:"name"`
	Email      string    `json:"email"`
	Verified   bool      `json:"email_verified"`
	PictureURL *string   `json:"picture_url"`
	CreatedAt  *string   `json:"created_at"`
}

func showMember(m account.Member) wireMember {
	return wireMember{
		ID: m.ID, UserID: m.UserID, AccountID: m.AccountID, Role: m.Role, Name: m.Name, Email: m.Email,
		Verified:   m.ProvenAt != nil,
		PictureURL: m.PictureURL, CreatedAt: wire.Time(m.CreatedAt),
	}
}

func (a *API) listMembers(c *gin.Context) error {
	params := request.ReadQuery(c.Request)
	page := params.WholePage(a.Secrets)
	if err := params.Err(); err != nil {
		return err
	}
	accountID, err := pathID(c, "account_id")
	if err != nil {
		return err
	}
	team, err := a.Accounts.Team(c.Request.Context(), identityOf(c), accountID, page.Page)
	if err != nil {
		return err
	}
	return a.ok(c, gin.H{
		"members": showAll(team.Members, showMember), "invitations": showAll(team.Invitations, showInvitation),
		"pagination": page.Pagination(team.Next),
	})
}

func (a *API) changeMember(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	role := body.RequiredText("role")
	if err := body.Err(nil); err != nil {
		return err
	}
	return answerRecord(a, c, recordOf{"id", "member"}, with(a.Accounts.ChangeRole, role), showMember)
}

func (a *API) removeMember(c *gin.Context) error {
	accountID, id, err := recordIDs(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	if err := a.Accounts.RemoveMember(c.Request.Context(), caller.UserID, accountID, id); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "Member removed"})
}
