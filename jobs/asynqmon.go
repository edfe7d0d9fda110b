package jobs

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"

	"github.com/hibiken/asynqmon"
	"github.com/redis/go-redis/v9"
)

// Dashboard returns a handler that serves asynq's own dashboard, for operators, under the path root. It checks no
// password: the caller must. Links to fonts on another host are removed from its page, since they would show that host
// who operates this service.
func Dashboard(connection redis.UniversalClient, root string) http.Handler {
	dashboard := asynqmon.New(asynqmon.Options{RootPath: root, RedisConnOpt: shared{connection}})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, root)
		if strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/static/") {
			dashboard.ServeHTTP(w, r)
			return
		}
		page := &held{ResponseWriter: w, status: http.StatusOK}
		dashboard.ServeHTTP(page, r)
		w.WriteHeader(page.status)
		_, _ = w.Write(withoutForeign(page.body.Bytes())) // an error means that the client has gone
	})
}

// foreign matches the <link> elements of a page that load from another host.
var foreign = regexp.MustCompile(`<link [^>]*href="(https?:)?//[^>]*>`)

func withoutForeign(page []byte) []byte { return foreign.ReplaceAll(page, nil) }

// held is a ResponseWriter that keeps the status and the body, and sends neither. Headers are those of the embedded
// ResponseWriter.
type held struct {
	http.ResponseWriter

	status int
	body   bytes.Buffer
}

// WriteHeader implements http.ResponseWriter.
func (h *held) WriteHeader(status int) { h.status = status }

// Write implements http.ResponseWriter.
func (h *held) Write(part []byte) (int, error) { return h.body.Write(part) }
