package httpapi

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
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
		ID: m.ID, UserID: m.UserID, AccountID: m.AccountID, Role: m.Role, Name: m.Name, Email: m.Email, Verified: m.ProvenAt != nil,
		PictureURL: m.PictureURL, CreatedAt: stamp(m.CreatedAt),
	}
}

func (a *API) listMembers(c *gin.Context) error {
	accountID, err := pathID(c, "account_id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	team, err := a.Accounts.Team(c.Request.Context(), caller.UserID, accountID)
	if err != nil {
		return err
	}
	members, invitations := make([]wireMember, len(team.Members)), make([]wireInvitation, len(team.Invitations))
	for i, m := range team.Members {
		members[i] = showMember(m)
	}
	for i, one := range team.Invitations {
		invitations[i] = showInvitation(one)
	}
	return a.ok(c, gin.H{"members": members, "invitations": invitations})
}

func (a *API) changeMember(c *gin.Context) error {
	body, err := a.readObject(c.Request)
	if err != nil {
		return err
	}
	role := body.requiredText("role")
	if err := body.err(); err != nil {
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
