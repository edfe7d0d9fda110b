package accounts

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/idempotency"
	"dealflow/internal/pages/frame"
)

// wireInvitation is an invitation as it is shown, without its token.
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

// Invite invites somebody to an account, as a member if the body has no role. The invitation replaces an open one for
// the same address. If it is mailed, accept_url in the answer is null; otherwise it is the URL with the token, which
// cannot be read again. The errors are those of the body (see request.Object) and of account.Service.Invite.
func (h *Handlers) Invite(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
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
	accountID := route.PathID(c, "account_id")
	var token string
	return respond.Once(c, http.StatusCreated, func(ctx context.Context) (made account.Invitation, err error) {
		made, token, err = h.Accounts.Invite(ctx, caller.UserID, accountID, email, *role)
		return made, err
	}, func(made account.Invitation) any {
		var acceptURL *string // null: it was mailed
		if token != "" {
			acceptURL = wire.TextOrNull(h.PublicURL + frame.InvitationsPath + "/" + token)
		}
		return gin.H{"invitation": showInvitation(made), "accept_url": acceptURL}
	})
}

// RevokeInvitation revokes an invitation: its token does not work any more. The error is NotFound if the invitation was
// accepted, and otherwise that of account.Service.RevokeInvitation.
func (h *Handlers) RevokeInvitation(c *gin.Context, caller account.Caller) error {
	return respond.Removed(c, caller, "id", "Invitation revoked", h.Accounts.RevokeInvitation)
}

// AcceptInvitation makes somebody a member of the account that invited them, begins a session, and sets its cookie. It
// needs no key, since the person may not be a user yet. A user is recognized by their key, their session or their
// password. An invalid key is refused, and so is a key without all scopes, since the session has all; an invalid
// session cookie is ignored. Other errors are those of the body (see request.Object) and of signin.Service.Accept.
func (h *Handlers) AcceptInvitation(c *gin.Context) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	in := signin.Acceptance{
		Token: body.RequiredText("token"), Name: body.OptionalText("name"), Password: body.OptionalText("password"),
	}
	in.TOTPCode = body.OptionalText("totp_code")
	if err := body.Err(nil); err != nil {
		return err
	}
	caller, err := h.Identities.Authenticate(c)
	if err != nil && len(c.Request.Header.Values("Authorization")) > 0 { // an invalid cookie is ignored
		return err
	}
	for _, scope := range account.Scopes() { // the session that begins has all of them
		if err := caller.RequireScope(scope); err != nil {
			return err
		}
	}
	in.Caller = caller.UserID
	idempotency.OnMade(c.Request.Context(), func(entry any) (idempotency.Kept, error) {
		return idempotency.Kept{Reference: entry.(signin.Entry).Session}, nil
	})
	entry, err := h.SignIn.Accept(c.Request.Context(), in, h.Guard(c))
	if err != nil {
		return err
	}
	return h.welcome(c, http.StatusOK, entry)
}

// RecallAcceptance answers a repeated request whose invitation was accepted but whose answer was lost. reference is the
// signin.Session that began. It sets no session cookie.
func (h *Handlers) RecallAcceptance(c *gin.Context, reference json.RawMessage) error {
	var begun signin.Session
	if err := json.Unmarshal(reference, &begun); err != nil {
		return fmt.Errorf("read the reference of an accepted invitation: %w", err)
	}
	return h.greet(c, http.StatusOK, begun)
}
