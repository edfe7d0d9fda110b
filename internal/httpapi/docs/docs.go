// Package docs serves the pages under /docs: Swagger UI, embedded, on the service's own OpenAPI document. Nothing is
// loaded from other hosts, and no script or style is inline.
package docs

import (
	_ "embed" // for the page and its script
	"net/http"
	"strings"

	"github.com/swaggest/swgui/v5/static"
	"github.com/vearutop/statigz"
)

//go:embed page.html
var page []byte

//go:embed start.js
var start []byte

//go:embed page.css
var style []byte

// Policy is the Content-Security-Policy of the pages. Swagger UI loads its icons from data: URLs.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler returns a handler for "/docs" and the paths below it. The page reads the OpenAPI document at
// /api/v1/openapi.json.
func Handler() http.Handler {
	viewer := http.StripPrefix("/docs", statigz.FileServer(static.FS))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", Policy)
		w.Header().Set("Cache-Control", "no-cache")
		switch r.URL.Path {
		case "/docs":
			write(w, "text/html; charset=utf-8", page)
		case "/docs/start.js":
			write(w, "text/javascript; charset=utf-8", start)
		case "/docs/page.css":
			write(w, "text/css; charset=utf-8", style)
		default:
			viewer.ServeHTTP(w, r)
		}
	})
}

// Serves reports whether Handler has a file at a path below /docs. Files of Go code are not served.
func Serves(path string) bool {
	name := strings.TrimPrefix(path, "/docs/")
	if name == "start.js" || name == "page.css" {
		return true
	}
	for _, ending := range []string{"", ".gz"} {
		if _, err := static.FS.Open(name + ending); err == nil {
			return !strings.HasSuffix(name, ".go") && name != ""
		}
	}
	return false
}

func write(w http.ResponseWriter, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write(body) // the client has gone
}
