package main

import (
	"bytes"
	"context"
	"log/slog"
)

// lineLog is a writer that logs each whole line at level debug, since the lines are about a server rather than this
// service, and lines about errors may have data of people. It does not log a last line without an end.
type lineLog struct {
	ctx  context.Context //nolint:containedctx // of the one run that it logs for
	log  *slog.Logger
	rest []byte
}

// Write never fails.
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
