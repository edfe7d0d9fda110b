package httpapi

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the page's template and style
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"

	"github.com/gin-gonic/gin"
)

//go:embed docs.html
var docsTemplate string

//go:embed docs.css
var docsStyle string

// docsPage is the OpenAPI document as a page. It is made once, holds no script, and fetches nothing.
type docsPage struct {
	body   []byte
	policy string // Content-Security-Policy
}

func newDocsPage(document node) (docsPage, error) {
	page, err := template.New("docs").Parse(docsTemplate)
	if err != nil {
		return docsPage{}, fmt.Errorf("read the template of /docs: %w", err)
	}
	var body bytes.Buffer
	model := struct {
		manual
		Style template.CSS
	}{newManual(document), template.CSS(docsStyle)} //nolint:gosec // our own file, embedded
	if err := page.Execute(&body, model); err != nil {
		return docsPage{}, fmt.Errorf("make the page /docs: %w", err)
	}
	hash := sha256.Sum256([]byte(docsStyle))
	return docsPage{
		body: body.Bytes(),
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}, nil
}

func (a *API) docs(c *gin.Context) error {
	c.Header("Content-Security-Policy", a.page.policy)
	c.Header("Cache-Control", "no-cache")
	c.Data(http.StatusOK, "text/html; charset=utf-8", a.page.body)
	return nil
}
