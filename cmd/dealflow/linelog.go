package main

import (
	"bytes"
	"context"
	"log/slog"
)

// lineLog logs each line that is written to it, for whoever asked for debug: a server's own log is about the server,
// and writes people's data in its error lines.
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
