package accounts

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/postgres"
)

// wireMember is a membership. ID is the id of the membership, UserID the id of the member.
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

// ListMembers answers with a page of the members of an account. The first page also has all open invitations. The
// errors are those of the query (see request.Query) and of account.Service.Team.
func (h *Handlers) ListMembers(c *gin.Context, who *postgres.Identity) error {
	params := request.ReadQuery(c.Request)
	page := params.WholePage(h.Reader.CursorKeys)
	if err := params.Err(); err != nil {
		return err
	}
	team, err := h.Accounts.Team(c.Request.Context(), who, route.PathID(c, "account_id"), page.Page)
	if err != nil {
		return err
	}
	invitations := make([]wireInvitation, len(team.Invitations))
	for i, open := range team.Invitations {
		invitations[i] = showInvitation(open.Invitation)
	}
	return respond.OK(c, gin.H{
		"members": respond.All(team.Members, showMember), "invitations": invitations,
		"pagination": page.Pagination(team.Next),
	})
}

// ChangeMember changes the role of a member. The id in the path is that of the membership, not of the user. The error
// is Conflict if no owner would be left, and otherwise that of the body (see request.Object) or of
// account.Service.ChangeRole.
func (h *Handlers) ChangeMember(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	role := body.RequiredText("role")
	if err := body.Err(nil); err != nil {
		return err
	}
	return respond.Record(c, caller, "id", "member", respond.With(h.Accounts.ChangeRole, role), showMember)
}

// RemoveMember removes a member, or the caller, from an account. The id in the path is that of the membership, not of
// the user. The error is Conflict for the last owner, and otherwise that of account.Service.RemoveMember.
func (h *Handlers) RemoveMember(c *gin.Context, caller account.Caller) error {
	return respond.Removed(c, caller, "id", "Member removed", h.Accounts.RemoveMember)
}
