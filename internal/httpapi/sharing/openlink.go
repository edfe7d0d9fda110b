package sharing

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
	"dealflow/internal/httpapi/limits"
	"dealflow/internal/ratelimit"
	"dealflow/internal/share/visitor"
)

// Path is the beginning of the paths of the pages of links; the link's code follows.
const Path = "/s/"

// Names of the cookies of a link's page: one proves that the visitor knows the password, the other has their email
// address.
const (
	shareCookie   = "dealflow_share"
	visitorCookie = "dealflow_visitor"
)

// Page shows what a link shares, or requests its password or the visitor's address first. If it shows companies, a GET
// counts as a view, unless a program sends it (see isProgram); a HEAD does not count. The errors are those of
// publicLink and visitor.Service.Open.
func (h *Handlers) Page(c *gin.Context) error {
	link, err := h.publicLink(c)
	if err != nil {
		return err
	}
	address := h.visitorOf(c, link)
	if gate := h.gateOf(c, link, address); gate.isClosed() {
		return h.Pages.show(c, http.StatusOK, "gate", gate)
	}
	counts := c.Request.Method == http.MethodGet && !isProgram(c.Request)
	page, err := h.Visitors.Open(c.Request.Context(), link, address, counts)
	if err != nil {
		return err
	}
	return h.Pages.show(c, http.StatusOK, "companies", h.viewPage(c.Param("code"), page))
}

// publicLink returns the link whose code is in the path. If the link has expired, the error is NotFound with the code
// linkExpired. Otherwise it is that of visitor.Service.Find: NotFound if there is no such link.
func (h *Handlers) publicLink(c *gin.Context) (visitor.PublicLink, error) {
	link, err := h.Visitors.Find(c.Request.Context(), c.Param("code"))
	if err == nil && link.Expired {
		return link, fault.New(fault.NotFound, linkExpired)
	}
	return link, err
}

// outsidePath returns the path of the public URL without a slash at its end, such as "/deals" if a proxy serves this
// service below that; "" if it has none.
func (h *Handlers) outsidePath() string {
	public, err := url.Parse(h.PublicURL)
	if err != nil {
		return ""
	}
	return strings.TrimRight(public.Path, "/")
}

// guard returns a guard that refuses passwords after too many wrong ones, until the window of the limiter ends. It
// counts them for this link from the request's address, and, with a higher limit, for this link from all addresses and
// for all links from the request's address.
func (h *Handlers) guard(c *gin.Context, link visitor.PublicLink) visitor.Guard {
	subject, address := "share:"+link.LinkID.String(), limits.Source(c)
	limiters := map[string]*ratelimit.Limiter{
		subject + ":" + address: h.FewGuesses, subject: h.ManyGuesses, "share:" + address: h.ManyGuesses,
	}
	return visitor.Guard{
		Allow:  func() error { return h.Guesses.Allow(c, limiters) },
		Failed: func() error { return h.Guesses.Failed(c, limiters) },
	}
}
