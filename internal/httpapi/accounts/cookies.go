package accounts

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"dealflow/internal/account/signin"
	"dealflow/internal/httpapi/identity"
)

// Enter sets the cookie of a new session, and a device cookie if the user has not logged in with this browser before.
func (h *Handlers) Enter(c *gin.Context, entry signin.Entry) {
	http.SetCookie(c.Writer, h.cookie(identity.SessionCookie, entry.Token, int(h.SignIn.SessionLifetime().Seconds())))
	if device := h.Devices.remember(c.Request, entry.UserID); device != "" {
		http.SetCookie(c.Writer, h.cookie(deviceCookie, device, deviceAge))
	}
}

// Leave deletes the session cookie of the browser. It does not end the session.
func (h *Handlers) Leave(c *gin.Context) {
	http.SetCookie(c.Writer, h.cookie(identity.SessionCookie, "", -1))
}

// cookie returns a cookie that scripts cannot read. With requests that come from other sites, a browser sends it only
// if they open a page of this service by GET, as a link does (SameSite=Lax). If PublicURL is https, a browser sends it
// by https only. maxAge is in seconds; a negative one deletes the cookie.
func (h *Handlers) cookie(name, value string, maxAge int) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // Secure where the service is reached by https, as decided
		Name: name, Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(h.PublicURL, "https://"),
	}
}
