package outage

import (
	"context"
	"log/slog"
)

// Logger returns a logger that drops lines about servers that are away, since each Server logs its state itself: lines
// with a warning or worse and an attribute "error" that is one of theirs.
func Logger(log *slog.Logger, servers ...*Server) *slog.Logger {
	return slog.New(handler{Handler: log.Handler(), servers: servers})
}

type handler struct {
	slog.Handler

	servers []*Server
}

// Handle is part of slog.Handler.
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

// WithAttrs is part of slog.Handler.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{Handler: h.Handler.WithAttrs(attrs), servers: h.servers}
}

// WithGroup is part of slog.Handler.
func (h handler) WithGroup(name string) slog.Handler {
	return handler{Handler: h.Handler.WithGroup(name), servers: h.servers}
}
