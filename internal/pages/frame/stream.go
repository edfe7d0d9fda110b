package frame

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/watch"
)

// pulse is how often a stream sends a comment, so that proxies do not close a stream without events.
const pulse = 15 * time.Second

// EventsURL returns the address at which a page streams changes of the thing with this id, with its present version. It
// must be called before the page reads the thing, so that the stream reports changes in between. The error is that of
// reading the version.
func EventsURL(ctx context.Context, watcher *watch.Watcher, page string, id uuid.UUID) (string, error) {
	version, err := watcher.Version(ctx, id)
	return page + "/events?" + url.Values{"seen": {version}}.Encode(), err
}

// Stream sends a server-sent event each time the watched version differs from the version that the browser has; the
// script of the page then loads the page again. The browser sends its version in the parameter "seen" or, when it
// reconnects, in Last-Event-ID.
//
// If the first call of inSight fails, Stream returns its error. After that it always returns nil: when the client has
// disconnected, the process is to stop, the session has ended, or inSight fails, since the visitor may no longer see
// the page.
func (s *Server) Stream(
	w http.ResponseWriter, r *http.Request, scene *Scene, watching *watch.Watch, inSight func() error,
) error {
	if err := inSight(); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would hold events back
	out := &events{w, http.NewResponseController(w)}
	seen := cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("seen"))
	ticks := time.NewTicker(pulse)
	defer ticks.Stop()
	for {
		what := ": alive\n\n"
		select {
		case <-r.Context().Done():
			return nil
		case <-s.options.Stopping:
			return nil // the page reconnects, to another process
		case <-ticks.C:
		case <-watching.Changed():
			if version := watching.Version(); version != seen {
				seen = version
				what = "id: " + version + "\nevent: changed\ndata: {}\n\n"
			}
		}
		if !scene.Still() || inSight() != nil {
			return nil // the stream has begun, so that no error can be sent
		}
		if err := out.send(what); err != nil {
			return nil // nobody listens any more
		}
	}
}

// events are a stream of server-sent events.
type events struct {
	io.Writer

	control *http.ResponseController
}

func (e *events) send(text string) error {
	if _, err := io.WriteString(e, text); err != nil {
		return err
	}
	return e.control.Flush()
}
