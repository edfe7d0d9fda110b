package accounts

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
)

// wireLogin is a session in the list of the caller's sessions; Current marks the one that sent the request.
type wireLogin struct {
	ID         uuid.UUID `json:"id"`
	Device     string    `json:"device"`
	IP         string    `json:"ip"`
	Current    bool      `json:"current"`
	CreatedAt  *string   `json:"created_at"`
	LastSeenAt *string   `json:"last_seen_at"`
	ExpiresAt  *string   `json:"expires_at"`
}

func showLogin(s signin.Session, caller account.Caller) wireLogin {
	return wireLogin{
		ID: s.ID, Device: s.Device, IP: s.IP, Current: s.ID == caller.SessionID,
		CreatedAt: wire.Time(s.CreatedAt), LastSeenAt: wire.Time(s.LastSeenAt), ExpiresAt: wire.Time(s.ExpiresAt),
	}
}

// ListSessions answers with a page of the caller's sessions that have not ended, the last used one first. The errors
// are those of the query (see request.Query) and of signin.Service.Sessions.
func (h *Handlers) ListSessions(c *gin.Context, caller account.Caller) error { // no Identity: the list shows this use
	return respond.Own(h.Reader, c, route.Identity(c), "sessions", h.SignIn.Sessions,
		func(s signin.Session) wireLogin { return showLogin(s, caller) })
}

// EndSession ends one of the caller's sessions, which may be the one that sent the request. The error is NotFound if
// the caller has no such session.
func (h *Handlers) EndSession(c *gin.Context, caller account.Caller) error {
	if err := h.SignIn.EndSession(c.Request.Context(), caller.UserID, route.PathID(c, "id")); err != nil {
		return err
	}
	return respond.Message(c, "Session ended")
}

// EndOtherSessions ends all of the caller's sessions except the one that sent the request; all of them if it was sent
// with a key.
func (h *Handlers) EndOtherSessions(c *gin.Context, caller account.Caller) error {
	if err := h.SignIn.EndOtherSessions(c.Request.Context(), caller); err != nil {
		return err
	}
	return respond.Message(c, "All other sessions ended")
}
