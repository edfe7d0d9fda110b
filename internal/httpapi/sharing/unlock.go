package sharing

import (
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/share/visitor"
)

// gate is the form that a visitor must fill in before they see a shared page. Password and Email say whether the
// visitor must still send the password, and an email address. The other fields are the address that was sent, and what
// was wrong.
type gate struct {
	Password, Email bool
	Given           string // the address that was sent
	WrongPassword   string
	WrongEmail      string
}

func (g gate) isClosed() bool { return g.Password || g.Email }

// gateOf returns the gate of a link: it asks for the password and the address if the link requires them and the request
// has no valid cookie for them. address is what visitorOf returns.
func (h *Handlers) gateOf(c *gin.Context, link visitor.PublicLink, address string) gate {
	pass, _ := c.Cookie(shareCookie)
	return gate{Password: !h.Visitors.Admits(link, pass), Email: link.AskEmail && address == ""}
}

// visitorOf returns the email address that the visitor has entered, from a cookie. It returns "" if the link does not
// require an address, or if there is no valid cookie.
func (h *Handlers) visitorOf(c *gin.Context, link visitor.PublicLink) string {
	if !link.AskEmail {
		return ""
	}
	proof, _ := c.Cookie(visitorCookie)
	return h.Visitors.Address(link, proof)
}

// requireOpen returns the link of the path and the visitor's address. The error is NotFound if the visitor has not sent
// what the link requires, and otherwise that of publicLink.
func (h *Handlers) requireOpen(c *gin.Context) (link visitor.PublicLink, address string, err error) {
	if link, err = h.publicLink(c); err != nil {
		return link, "", err
	}
	address = h.visitorOf(c, link)
	if h.gateOf(c, link, address).isClosed() {
		return link, "", fault.NewNotFound()
	}
	return link, address, nil
}

// Unlock handles the form of a gate. It stores the proof of a right password in a cookie, and a valid email address in
// another, but the address only once the password is proven. If nothing is missing any more, it redirects to the page
// of the link; otherwise it shows the gate again. The error is RateLimited after too many wrong passwords, and
// otherwise that of readForm, publicLink or visitor.Service.Unlock.
func (h *Handlers) Unlock(c *gin.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	link, err := h.publicLink(c)
	if err != nil {
		return err
	}
	left, status := h.gateOf(c, link, h.visitorOf(c, link)), http.StatusSeeOther
	left.Given = form.Get("email")
	if left.Password {
		pass, err := h.Visitors.Unlock(c.Request.Context(), link, form.Get("password"), h.guard(c, link))
		switch {
		case fault.Is(err, fault.Unauthenticated):
			_ = c.Error(err)
			left.WrongPassword, status = "That is not the password. Please try again.", http.StatusUnauthorized
		case err != nil:
			return err
		default:
			left.Password = false
			http.SetCookie(c.Writer, h.linkCookie(c, shareCookie, pass, visitor.PassLifetime))
		}
	}
	if left.Email {
		email, err := account.Address(left.Given)
		if err != nil {
			left.WrongEmail, status = "Please enter an address such as ada@example.com.", max(status, http.StatusBadRequest)
		} else if !left.Password {
			left.Email = false
			http.SetCookie(c.Writer, h.linkCookie(c, visitorCookie, h.Visitors.Greet(link, email), visitor.AddressLifetime))
		}
	}
	if left.isClosed() {
		return h.Pages.show(c, status, "gate", left)
	}
	c.Header("Location", c.Param("code")) // relative, since a proxy may serve this path below another
	c.Status(http.StatusSeeOther)
	c.Writer.WriteHeaderNow()
	return nil
}

// linkCookie returns a cookie that a browser sends only to the paths of this link, and that scripts cannot read.
func (h *Handlers) linkCookie(c *gin.Context, name, value string, lifetime time.Duration) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // Secure where the service is reached by https
		Name: name, Value: value, Path: h.outsidePath() + Path + c.Param("code"), MaxAge: int(lifetime.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(h.PublicURL, "https://"),
	}
}
