package sharing

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
	"dealflow/internal/httpapi/limits"
	"dealflow/internal/ratelimit"
	"dealflow/internal/share"
)

// Path is where the pages of links begin, with their code behind it.
const Path = "/s/"

// Cookies of a link's page: the proofs that somebody gave its password, and their address.
const (
	shareCookie   = "dealflow_share"
	visitorCookie = "dealflow_visitor"
)

// Page shows what a link shares, or asks for its password and for the visitor's address.
func (h *Handlers) Page(c *gin.Context) error {
	door, err := h.openDoor(c)
	if err != nil {
		return err
	}
	visitor := h.visitorOf(c, door)
	if gate := h.gateOf(c, door, visitor); gate.isClosed() {
		return h.Pages.show(c, http.StatusOK, "gate", gate)
	}
	page, err := h.Shares.Open(c.Request.Context(), door, visitor, c.Request.Method == http.MethodGet)
	if err != nil {
		return err
	}
	return h.Pages.show(c, http.StatusOK, "companies", h.viewPage(c.Param("code"), page))
}

// openDoor finds the link of the path. One that is over is gone.
func (h *Handlers) openDoor(c *gin.Context) (share.Door, error) {
	door, err := h.Shares.Find(c.Request.Context(), c.Param("code"))
	if err == nil && door.Expired {
		return door, fault.New(fault.NotFound, linkExpired)
	}
	return door, err
}

// outsidePath is what is before our paths in a browser, where a proxy serves us below its root.
func (h *Handlers) outsidePath() string {
	public, err := url.Parse(h.PublicURL)
	if err != nil {
		return ""
	}
	return strings.TrimRight(public.Path, "/")
}

// guard locks out, until the minute of the clock is over, who guesses a link's password from one address, who tries
// many links from one, and everybody where many addresses guess at one link.
func (h *Handlers) guard(c *gin.Context, door share.Door) share.Guard {
	link, address := "share:"+door.LinkID.String(), limits.Source(c)
	limiters := map[string]*ratelimit.Limiter{
		link + ":" + address: h.FewGuesses, link: h.ManyGuesses, "share:" + address: h.ManyGuesses,
	}
	return share.Guard{
		Allow:  func() error { return h.Guesses.Allow(c, limiters) },
		Failed: func() error { return h.Guesses.Failed(c, limiters) },
	}
}
