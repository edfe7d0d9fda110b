package jobs

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"

	"github.com/hibiken/asynqmon"
	"github.com/redis/go-redis/v9"
)

// Dashboard is asynq's own dashboard, for operators, rooted at this path. It has no authentication of its own. Its page
// would load fonts from another host, which would show that host who operates what: it gets along without them.
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
		_, _ = w.Write(withoutForeign(page.body.Bytes())) // the client has gone
	})
}

// foreign are the elements of a page that load from elsewhere.
var foreign = regexp.MustCompile(`<link [^>]*href="(https?:)?//[^>]*>`)

func withoutForeign(page []byte) []byte { return foreign.ReplaceAll(page, nil) }

// held keeps an answer until it is whole.
type held struct {
	http.ResponseWriter

	status int
	body   bytes.Buffer
}

// WriteHeader is part of http.ResponseWriter.
func (h *held) WriteHeader(status int) { h.status = status }

// Write is part of http.ResponseWriter.
func (h *held) Write(part []byte) (int, error) { return h.body.Write(part) }
