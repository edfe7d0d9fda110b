package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"dealflow/internal/embedded"
)

// processGrace is how long a process may take to end after a signal, unless its grace says otherwise. restartFirst and
// restartLast are the first and the longest pause before a process that died is started again.
const (
	processGrace = 15 * time.Second
	restartFirst = 250 * time.Millisecond
	restartLast  = 10 * time.Second
)

// process describes how to run a child process: a program of the service, or a server whose data may be lost, such as
// Redis.
type process struct {
	name  string
	start func(context.Context) (*embedded.Child, error)
	grace time.Duration // how long it may take to end after a signal; 0: processGrace
	log   *slog.Logger
}

// kept is a process that is started again when it dies, until stop is called. If it dies before the caller of keep has
// set wasReady, it is not started again. Once the process has ended for good, done is closed, and err may be read: why
// the process ended before it was ready, or could not be stopped.
type kept struct {
	process
	wasReady atomic.Bool // it has been ready; a process that dies before that is not started again
	cancel   context.CancelFunc
	done     chan struct{}
	err      error
}

// keep starts a process, and starts it again when it dies, until stop is called. The end of ctx does not stop it. If
// the process dies before wasReady is set, it is not started again. The error is that of the first start.
func keep(ctx context.Context, p process) (*kept, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // stop ends it
	child, err := p.start(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	k := &kept{process: p, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(k.done)
		k.err = k.run(ctx, child)
	}()
	return k, nil
}

func (k *kept) run(ctx context.Context, child *embedded.Child) error {
	for wait := restartFirst; ; wait = min(2*wait, restartLast) {
		began := time.Now()
		select {
		case <-ctx.Done():
			return child.Stop(syscall.SIGTERM, cmp.Or(k.grace, processGrace))
		case <-child.Done():
		}
		if !k.wasReady.Load() {
			said := errors.New("its last lines above say why")
			return fmt.Errorf("%s ended before it was ready: %w", k.name, errors.Join(child.Err(), said))
		}
		if time.Since(began) > 2*restartLast {
			wait = restartFirst
		}
		k.log.ErrorContext(ctx, "a process died and will be started again", "name", k.name, "error", child.Err(), "after",
			wait.String())
		if child = k.restart(ctx, wait); child == nil {
			return nil
		}
	}
}

// restart waits, starts the process again, and returns the new child. If the start fails, it repeats both, with doubled
// waits up to restartLast. It returns nil if ctx ends first.
func (k *kept) restart(ctx context.Context, wait time.Duration) *embedded.Child {
	for ; pause(ctx, wait) == nil; wait = min(2*wait, restartLast) {
		child, err := k.start(ctx)
		if err == nil {
			return child
		}
		k.log.ErrorContext(ctx, "a process that died could not be started; it will be tried again", "name", k.name, "error",
			err)
	}
	return nil
}

// startProgram returns a function that starts a program of the service with this environment. On Linux the kernel kills
// the program when this process dies: the embedded servers end then, too, so the program could not finish its work.
func (s *supervisor) startProgram(name string, environment []string) func(context.Context) (*embedded.Child, error) {
	return func(ctx context.Context) (*embedded.Child, error) {
		path := filepath.Join(s.programs, name)
		cmd := exec.CommandContext(context.WithoutCancel(ctx), path) //nolint:gosec // G204: our own program beside this one
		cmd.Env = environment
		cmd.Stdout, cmd.Stderr = s.output, s.output
		return embedded.StartChild(cmd, syscall.SIGKILL)
	}
}

// stop makes the process end, waits until it has ended, and returns its err. It returns nil if k is nil. It may be
// called again.
func (k *kept) stop() error {
	if k == nil {
		return nil
	}
	k.cancel()
	<-k.done
	return k.err
}
