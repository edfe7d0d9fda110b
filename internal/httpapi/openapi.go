package httpapi

import (
	_ "embed" // for openapi.yaml
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"dealflow/internal/httpapi/docs"
	"dealflow/internal/httpapi/respond"
)

//go:embed openapi.yaml
var openAPIYAML []byte

// root answers with the console if the client accepts HTML, and otherwise, in JSON, with the URLs of the API's
// documentation and of its OpenAPI document.
func (a *API) root(c *gin.Context) error {
	c.Header("Vary", "Accept")
	if strings.Contains(c.GetHeader("Accept"), "text/html") {
		return a.console.Page(c)
	}
	return respond.OK(c, gin.H{"docs": a.PublicURL + docsPath, "openapi": a.PublicURL + base + "/openapi.json"})
}

// docsPath is the path of the pages that show the OpenAPI document.
const docsPath = "/docs"

// openAPI serves the OpenAPI document as JSON, without the envelope that other answers have. Pages of any site may read
// it.
func (a *API) openAPI(c *gin.Context) error {
	document, err := a.document()
	if err != nil {
		return err
	}
	c.Header("Cache-Control", "no-cache")
	c.Header("Access-Control-Allow-Origin", "*") // it is no secret, and viewers elsewhere may want it
	c.Data(http.StatusOK, "application/json", document)
	return nil
}

// docs serves the pages that show the document. The error is NotFound for other paths below docsPath.
func (a *API) docs(c *gin.Context) error {
	if c.Request.URL.Path != docsPath && !docs.Serves(c.Request.URL.Path) {
		return noRoute(c)
	}
	a.viewer.ServeHTTP(c.Writer, c.Request)
	return nil
}
