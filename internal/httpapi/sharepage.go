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

// Cookies of a link's page: the proofs that somebody gave its password, and their address.
const (
	shareCookie   = "dealflow_share"
	visitorCookie = "dealflow_visitor"
)

// maxPageForm is as long, in bytes, as what a page of ours sends can be.
const maxPageForm = 16 << 10

//go:embed sharepage.html invitationpage.html
var pageTemplates embed.FS

//go:embed sharepage.css
var shareStyle string

// sharePages are the pages for people, of shared links and of invitations. They work without a script, and fetch
// nothing from elsewhere.
type sharePages struct {
	templates *template.Template
	style     template.CSS
	script    string // address of the script of shared decks
	icon      string // address
	policy    string // Content-Security-Policy
}

func newSharePages(script, icon string) (sharePages, error) {
	templates, err := template.New("").Funcs(template.FuncMap{"add": func(a, b int) int { return a + b }}).
		ParseFS(pageTemplates, "*.html")
	if err != nil {
		return sharePages{}, fmt.Errorf("read the templates of the pages: %w", err)
	}
	hash := sha256.Sum256([]byte(shareStyle))
	return sharePages{
		//nolint:gosec // our own file, embedded
		templates: templates, style: template.CSS(shareStyle), script: script, icon: icon,
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
			"'; img-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors " +
			"'none'",
	}, nil
}

// show sends one of the pages.
func (p *sharePages) show(c *gin.Context, status int, name string, model any) error {
	var body bytes.Buffer
	err := p.templates.ExecuteTemplate(&body, name, struct {
		Style  template.CSS
		Script string
		Icon   string
		Model  any
	}{p.style, p.script, p.icon, model})
	if err != nil {
		return fmt.Errorf("make the page %s: %w", name, err)
	}
	c.Header("Content-Security-Policy", p.policy)
	c.Header("X-Robots-Tag", "noindex, nofollow")
	c.Header("Content-Type", "text/html; charset=utf-8")
	c.Data(status, "text/html; charset=utf-8", body.Bytes())
	return nil
}

// sharedPage shows what a link shares, or asks for its password and for the visitor's address.
func (a *API) sharedPage(c *gin.Context) error {
	door, err := a.openDoor(c)
	if err != nil {
		return err
	}
	visitor := a.visitorOf(c, door)
	if gate := a.gateOf(c, door, visitor); gate.isClosed() {
		return a.pages.show(c, http.StatusOK, "gate", gate)
	}
	page, err := a.Shares.Open(c.Request.Context(), door, visitor, c.Request.Method == http.MethodGet)
	if err != nil {
		return err
	}
	return a.pages.show(c, http.StatusOK, "companies", a.viewPage(c.Param("code"), page))
}

// openDoor finds the link of the path. One that is over is gone.
func (a *API) openDoor(c *gin.Context) (share.Door, error) {
	door, err := a.Shares.Find(c.Request.Context(), c.Param("code"))
	if err == nil && door.Expired {
		return door, fault.New(fault.NotFound, linkExpired)
	}
	return door, err
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
	attempts := map[string]*ratelimit.Limiter{
		link + ":" + address: a.Guesses, link: a.Attempts, "share:" + address: a.Attempts,
	}
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
