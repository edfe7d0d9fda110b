package pages

import (
	"io"
	"net/http"
	"time"

	"dealflow/internal/watch"
)

// pulse is how often a stream on which nothing happens shows that it lives.
const pulse = 15 * time.Second

// stream sends an event, in server-sent events, whenever a thing has changed; the page fetches itself anew then. It
// ends when the visitor has lost their session or the sight of the thing. What changed before the stream began, maybe
// after the page was made, is told where restless says that the thing changes all the time.
func (p *Pages) stream(w http.ResponseWriter, r *http.Request, s *scene, watching *watch.Watch, restless bool, inSight func() error) error {
	if err := inSight(); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would hold events back
	out := &events{w, http.NewResponseController(w)}
	ticks := time.NewTicker(pulse)
	defer ticks.Stop()
	for first := !restless; ; {
		what := ": alive\n\n"
		select {
		case <-r.Context().Done():
			return nil
		case <-p.deps.Stopping:
			return nil // the page asks another process
		case <-ticks.C:
		case <-watching.Changed():
			if !first {
				what = "event: changed\ndata: {}\n\n"
			}
			first = false
		}
		if !s.Still() || inSight() != nil {
			return nil // the stream has begun: it ends
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
