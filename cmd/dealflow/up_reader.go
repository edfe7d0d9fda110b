package main

import (
	"context"
	"time"

	"dealflow/internal/pdftext"
)

// alreadyCompiled is the longest time that warm takes if the PDF reader has been compiled before. After this time, warm
// logs that the reader is being compiled.
const alreadyCompiled = 500 * time.Millisecond

// compileReader compiles the second PDF reader in the background, unless there is no folder in which the result can be
// stored. Compiling takes seconds, in which the servers can be fetched and started. The caller must call stop, which
// ends the compiling and waits for that.
func (s *supervisor) compileReader(ctx context.Context) (stop func()) {
	if s.cfg.Reader.Cache() == "" {
		return func() {} // there is no folder for the result
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.warm(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

func (s *supervisor) warm(ctx context.Context) {
	pool := pdftext.NewPool(pdftext.Options{
		Children: 1, Timeout: s.cfg.Reader.Timeout, CacheDir: s.cfg.Reader.Cache(), Logger: s.log,
	})
	defer pool.Close()
	began := time.Now()
	slow := time.AfterFunc(alreadyCompiled, func() {
		s.log.InfoContext(ctx, "the PDF reader is being compiled, once on this machine", "folder", s.cfg.Reader.Cache())
	})
	err := pool.Warm(ctx)
	said := !slow.Stop()
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.log.WarnContext(ctx, "the PDF reader could not be compiled; the worker will try again", "error", err)
	case said:
		took := time.Since(began).Round(10 * time.Millisecond)
		s.log.InfoContext(ctx, "the PDF reader is compiled", "seconds", took.Seconds())
	}
}
