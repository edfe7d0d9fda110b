// Package logs makes the processes' loggers: JSON lines on stderr. What With puts into a context, a request's id
// above all, is in every line that is logged with that context, so that it follows a piece of work from the API into
// the worker.
package logs

import (
	"context"
	"io"
	"log/slog"
	"slices"
)

type contextKey struct{}

// New makes a logger that writes JSON lines from this level on.
func New(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(handler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})})
}

// With adds attributes to every line that is logged with the context.
func With(ctx context.Context, attrs ...slog.Attr) context.Context {
	before, _ := ctx.Value(contextKey{}).([]slog.Attr)
	return context.WithValue(ctx, contextKey{}, slices.Concat(before, attrs))
}

// handler adds the context's attributes.
type handler struct{ slog.Handler }

func (h handler) Handle(ctx context.Context, record slog.Record) error {
	if attrs, ok := ctx.Value(contextKey{}).([]slog.Attr); ok {
		record = record.Clone()
		record.AddAttrs(attrs...)
	}
	return h.Handler.Handle(ctx, record)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs)}
}

func (h handler) WithGroup(name string) slog.Handler { return handler{h.Handler.WithGroup(name)} }
