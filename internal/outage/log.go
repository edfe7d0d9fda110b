package outage

import (
	"context"
	"log/slog"
)

// Logger returns a logger that drops the errors of servers that do not answer, since each Server logs its state itself.
// A line of level Warn or above belongs to the first of the servers whose Options.Is recognizes the line's first
// attribute that is an error. Such a line is held back while the server is pinged, and written only if the server then
// answers. If mostHeld lines of a server are held back, further ones are dropped in any case.
func Logger(log *slog.Logger, servers ...*Server) *slog.Logger {
	return slog.New(handler{Handler: log.Handler(), servers: servers})
}

type handler struct {
	slog.Handler

	servers []*Server
}

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, record slog.Record) error {
	if record.Level >= slog.LevelWarn {
		if err := errorOf(record); err != nil {
			for _, s := range h.servers {
				if s.opts.Is(err) {
					record = record.Clone()
					s.absorb(err, func() { _ = h.Handler.Handle(context.WithoutCancel(ctx), record) })
					return nil
				}
			}
		}
	}
	return h.Handler.Handle(ctx, record)
}

func errorOf(record slog.Record) (found error) {
	record.Attrs(func(attr slog.Attr) bool {
		if err, ok := attr.Value.Any().(error); ok {
			found = err
		}
		return found == nil
	})
	return found
}

// WithAttrs implements slog.Handler.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{Handler: h.Handler.WithAttrs(attrs), servers: h.servers}
}

// WithGroup implements slog.Handler.
func (h handler) WithGroup(name string) slog.Handler {
	return handler{Handler: h.Handler.WithGroup(name), servers: h.servers}
}
