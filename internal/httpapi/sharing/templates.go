package sharing

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"dealflow/internal/httpapi/request"
)

// maxForm is the maximum size, in bytes, of a form that readForm accepts.
const maxForm = 16 << 10

//go:embed sharepage.html
var templates embed.FS

//go:embed sharepage.css
var style string

// Pages renders the pages of shared links. They work without a script, and load nothing from other hosts.
type Pages struct {
	templates *template.Template
	style     template.CSS
	script    string // address of the script of shared decks
	icon      string // address
	policy    string // Content-Security-Policy
}

// NewPages returns the pages; script and icon are the URLs of the script of decks and of the icon. The error is about
// templates that cannot be parsed.
func NewPages(script, icon string) (*Pages, error) {
	parsed, err := template.New("").Funcs(template.FuncMap{"add": func(a, b int) int { return a + b }}).
		ParseFS(templates, "*.html")
	if err != nil {
		return nil, fmt.Errorf("read the templates of the pages: %w", err)
	}
	hash := sha256.Sum256([]byte(style))
	return &Pages{
		//nolint:gosec // our own file, embedded
		templates: parsed, style: template.CSS(style), script: script, icon: icon,
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
			"'; img-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors " +
			"'none'",
	}, nil
}

// show answers with a page. name is the name of its template, and model is what the template shows. If the template
// fails, it sends nothing and returns the error.
func (p *Pages) show(c *gin.Context, status int, name string, model any) error {
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

// readForm reads a form of at most maxForm bytes that the page of a link sends. The error is UnsupportedType for
// another media type, TooLarge for a longer form, and InvalidBody for one that cannot be read.
func readForm(c *gin.Context) (url.Values, error) {
	if media := request.MediaType(c.Request); media != "application/x-www-form-urlencoded" {
		return nil, request.Unsupported("must be application/x-www-form-urlencoded")
	}
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, maxForm)
	if err := c.Request.ParseForm(); err != nil {
		return nil, request.FormError(err)
	}
	return c.Request.PostForm, nil
}
