package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/idempotency"
)

// invitationsPath is where accept_url leads, with the token as its last segment.
const invitationsPath = "/invitations/"

// wireInvitation is what is shown of an invitation: never its token.
type wireInvitation struct {
	ID        uuid.UUID `json:"id"`
	AccountID uuid.UUID `json:"account_id"`
	Email     string    `json:"email"`
	Role      string    `json:"role"`
	InvitedBy uuid.UUID `json:"invited_by"`
	ExpiresAt *string   `json:"expires_at"`
	CreatedAt *string   `json:"created_at"`
}

func showInvitation(i account.Invitation) wireInvitation {
	return wireInvitation{
		ID: i.ID, AccountID: i.AccountID, Email: i.Email, Role: i.Role, InvitedBy: i.InvitedBy,
		ExpiresAt: wire.Time(i.ExpiresAt), CreatedAt: wire.Time(i.CreatedAt),
	}
}

// invite answers with the URL that holds the token, this once; where mails are sent, the mail alone holds it.
func (a *API) invite(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	email, role := body.RequiredText("email"), body.Text("role")
	if err := body.Err(nil); err != nil {
		return err
	}
	if role == nil {
		member := account.RoleMember
		role = &member
	}
	accountID, err := pathID(c, "account_id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	var token string
	return answerOnce(a, c, http.StatusCreated, func(ctx context.Context) (made account.Invitation, err error) {
		made, token, err = a.Accounts.Invite(ctx, caller.UserID, accountID, email, *role)
		return made, err
	}, func(made account.Invitation) any {
		var acceptURL *string // null: it was mailed
		if token != "" {
			acceptURL = wire.TextOrNull(a.PublicURL + invitationsPath + token)
		}
		return gin.H{"invitation": showInvitation(made), "accept_url": acceptURL}
	})
}

func (a *API) revokeInvitation(c *gin.Context) error {
	accountID, id, err := recordIDs(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	if err := a.Accounts.RevokeInvitation(c.Request.Context(), caller.UserID, accountID, id); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "Invitation revoked"})
}

// acceptInvitation is open: who comes is in no team yet. A user can show who they are by their key or session instead
// of their password.
func (a *API) acceptInvitation(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	in := account.Acceptance{
		Token: body.RequiredText("token"), Name: body.OptionalText("name"), Password: body.OptionalText("password"),
	}
	in.TOTPCode = body.OptionalText("totp_code")
	if err := body.Err(nil); err != nil {
		return err
	}
	caller, err := a.authenticate(c)
	if err != nil && len(c.Request.Header.Values("Authorization")) > 0 { // a cookie may be an old one
		return err
	}
	in.Caller = caller.UserID
	idempotency.OnMade(c.Request.Context(), func(entry any) (idempotency.Kept, error) {
		return idempotency.Kept{Reference: entry.(account.Entry).Session}, nil
	})
	entry, err := a.Accounts.Accept(c.Request.Context(), in, a.guard(c))
	if err != nil {
		return err
	}
	return a.welcome(c, http.StatusOK, entry)
}

// recallAcceptance answers for an invitation that a lost process accepted.
func (a *API) recallAcceptance(c *gin.Context, reference json.RawMessage) error {
	var begun account.Session
	if err := json.Unmarshal(reference, &begun); err != nil {
		return fmt.Errorf("read the reference of an accepted invitation: %w", err)
	}
	return a.greet(c, http.StatusOK, begun)
}
