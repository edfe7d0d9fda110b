// Package logs creates the loggers of the processes: lines on stderr, as JSON or for people. Attributes that With puts
// into a context, above all a request's id, are in every line that is logged with that context. So they follow a piece
// of work from the API into the worker.
package logs

import (
	"context"
	"io"
	"log/slog"
	"os"
	"slices"

	"github.com/lmittmann/tint"
	"golang.org/x/term"
)

type contextKey struct{}

// New returns a logger that writes lines from this level on: with the format "text" for a person, colored on a terminal
// unless NO_COLOR is set; with "json" as JSON; with "auto" as text on a terminal and as JSON elsewhere.
func New(w io.Writer, level slog.Level, format string) *slog.Logger {
	terminal := isTerminal(w)
	if format == "text" || format == "auto" && terminal {
		return slog.New(handler{tint.NewTextHandler(w, &tint.Options{
			Level: level, TimeFormat: "15:04:05.000",
			NoColor: !terminal || os.Getenv("NO_COLOR") != "", //nolint:forbidigo // not ours: no-color.org
		})})
	}
	return slog.New(handler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})})
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// With returns a context whose lines have these attributes: they are added to every line that is logged with it. They
// replace earlier attributes of ctx with the same keys.
func With(ctx context.Context, attrs ...slog.Attr) context.Context {
	before, _ := ctx.Value(contextKey{}).([]slog.Attr)
	kept := slices.DeleteFunc(slices.Clone(before), func(old slog.Attr) bool {
		return slices.ContainsFunc(attrs, func(a slog.Attr) bool { return a.Key == old.Key })
	})
	return context.WithValue(ctx, contextKey{}, slices.Concat(kept, attrs))
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
