// Package logs creates the loggers of the processes: they write lines as JSON or for people. Attributes that With adds
// to a context, above all a request's id, are in every line that is logged with that context, in the API and in the
// worker.
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

// New returns a logger that writes lines of this level and above. The format "text" is for people, colored on a
// terminal unless NO_COLOR is set; "auto" is text on a terminal and JSON elsewhere; any other format is JSON.
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

// With returns a context with these attributes: a logger of New adds them to every line that is logged with that
// context. They replace attributes of ctx that have the same keys.
func With(ctx context.Context, attrs ...slog.Attr) context.Context {
	before, _ := ctx.Value(contextKey{}).([]slog.Attr)
	kept := slices.DeleteFunc(slices.Clone(before), func(old slog.Attr) bool {
		return slices.ContainsFunc(attrs, func(a slog.Attr) bool { return a.Key == old.Key })
	})
	return context.WithValue(ctx, contextKey{}, slices.Concat(kept, attrs))
}

// handler adds the attributes of the context, which With has set, to each line.
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
