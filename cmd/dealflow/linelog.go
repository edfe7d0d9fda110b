package main

import (
	"bytes"
	"context"
	"log/slog"
)

// lineLog is a writer that logs the output of an embedded server, each line at the level debug, since the lines may
// have data of people. It does not log a last line without a newline. It is not safe for concurrent use.
type lineLog struct {
	ctx  context.Context //nolint:containedctx // of the only run for which it logs
	log  *slog.Logger
	rest []byte
}

// Write logs each line that p completes, and keeps the rest for the next call. It never fails.
func (l *lineLog) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, found := bytes.Cut(l.rest, []byte("\n"))
		if !found {
			return len(p), nil
		}
		l.log.DebugContext(l.ctx, string(line))
		l.rest = rest
	}
}
