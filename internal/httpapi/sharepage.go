package httpapi

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
	"dealflow/internal/ratelimit"
	"dealflow/internal/share"
)

// sharePath is where the pages for people without an account begin.
const sharePath = "/s/"

// shareCookie holds the proof that somebody gave a link's password.
const shareCookie = "dealflow_share"

// maxPageForm is as long, in bytes, as what a page of ours sends can be.
const maxPageForm = 16 << 10

//go:embed sharepage.html invitationpage.html
var pageTemplates embed.FS

//go:embed sharepage.css
var shareStyle string

// sharePages are the pages for people, of shared links and of invitations. They hold no script and fetch nothing.
type sharePages struct {
	templates *template.Template
	style     template.CSS
	policy    string // Content-Security-Policy
}

func newSharePages() (sharePages, error) {
	templates, err := template.ParseFS(pageTemplates, "*.html")
	if err != nil {
		return sharePages{}, fmt.Errorf("read the templates of the pages: %w", err)
	}
	hash := sha256.Sum256([]byte(shareStyle))
	return sharePages{
		templates: templates, style: template.CSS(shareStyle), //nolint:gosec // our own file, embedded
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
			"'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
	}, nil
}

// show sends one of the pages.
func (p *sharePages) show(c *gin.Context, status int, name string, model any) error {
	var body bytes.Buffer
	err := p.templates.ExecuteTemplate(&body, name, struct {
		Style template.CSS
		Model any
	}{p.style, model})
	if err != nil {
		return fmt.Errorf("make the page %s: %w", name, err)
	}
	c.Header("Content-Security-Policy", p.policy)
	c.Header("X-Robots-Tag", "noindex, nofollow")
	c.Header("Content-Type", "text/html; charset=utf-8")
	c.Data(status, "text/html; charset=utf-8", body.Bytes())
	return nil
}

// sharedPage shows what a link shares, or asks for its password.
func (a *API) sharedPage(c *gin.Context) error {
	door, err := a.openDoor(c)
	if err != nil {
		return err
	}
	pass, _ := c.Cookie(shareCookie)
	if !a.Shares.Admits(door, pass) {
		return a.pages.show(c, http.StatusOK, "password", "")
	}
	page, err := a.Shares.Open(c.Request.Context(), door, c.Request.Method == http.MethodGet)
	if err != nil {
		return err
	}
	return a.pages.show(c, http.StatusOK, "companies", a.viewPage(page))
}

// openDoor finds the link of the path. One that is over is gone.
func (a *API) openDoor(c *gin.Context) (share.Door, error) {
	door, err := a.Shares.Find(c.Request.Context(), c.Param("code"))
	if err == nil && door.Expired {
		return door, fault.New(fault.NotFound, linkExpired)
	}
	return door, err
}

// unlockPage takes the password of a link, and sends who gave the right one back to the page with a pass in a cookie.
func (a *API) unlockPage(c *gin.Context) error {
	form, err := formOf(c)
	if err != nil {
		return err
	}
	door, err := a.openDoor(c)
	if err != nil {
		return err
	}
	pass := ""
	if !a.Shares.Admits(door, pass) {
		pass, err = a.Shares.Unlock(c.Request.Context(), door, form.Get("password"), a.shareGuard(c, door))
	}
	if fault.Is(err, fault.Unauthenticated) {
		_ = c.Error(err)
		return a.pages.show(c, http.StatusUnauthorized, "password", "That is not the password. Please try again.")
	}
	if err != nil {
		return err
	}
	if pass != "" {
		http.SetCookie(c.Writer, a.passCookie(c, pass))
	}
	c.Header("Location", c.Param("code")) // of this very page, whatever is before its path outside
	c.Status(http.StatusSeeOther)
	c.Writer.WriteHeaderNow()
	return nil
}

// passCookie is for this link's page alone, and out of reach for scripts.
func (a *API) passCookie(c *gin.Context, pass string) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // Secure where the service is reached by https
		Name: shareCookie, Value: pass, Path: a.outsidePath() + sharePath + c.Param("code"), MaxAge: int(share.PassLifetime.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(a.PublicURL, "https://"),
	}
}

// outsidePath is what is before our paths in a browser, where a proxy serves us below its root.
func (a *API) outsidePath() string {
	public, err := url.Parse(a.PublicURL)
	if err != nil {
		return ""
	}
	return strings.TrimRight(public.Path, "/")
}

// shareGuard locks out, until the minute of the clock is over, who guesses a link's password from one address, who
// tries many links from one, and everybody where many addresses guess at one link.
func (a *API) shareGuard(c *gin.Context, door share.Door) share.Guard {
	link, address := "share:"+door.LinkID.String(), source(c)
	attempts := map[string]*ratelimit.Limiter{link + ":" + address: a.Guesses, link: a.Attempts, "share:" + address: a.Attempts}
	return share.Guard{
		Allow: func() error {
			for subject := range attempts {
				if refusal, locked := a.lockout.left(subject, a.Now()); locked {
					return tooMany(c, refusal)
				}
			}
			return nil
		},
		Failed: func() error {
			var refusal error
			for subject, limiter := range attempts {
				if guess := limiter.Allow(c.Request.Context(), subject); !guess.Allowed {
					a.lockout.lock(subject, guess, a.Now())
					refusal = tooMany(c, guess)
				}
			}
			return refusal
		},
	}
}
