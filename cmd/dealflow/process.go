package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"dealflow/internal/embedded"
)

// How long a process may take to finish what it does, and how long we wait before starting one again that died.
const (
	processGrace = 15 * time.Second
	restartFirst = 250 * time.Millisecond
	restartLast  = 10 * time.Second
)

// process is one of the service's programs, run as a child.
type process struct {
	name, path string
	env        []string
	output     io.Writer
	log        *slog.Logger
}

// kept is a process that is started again whenever it dies.
type kept struct {
	process
	settled atomic.Bool // once it was ready; before that its death is our failure
	cancel  context.CancelFunc
	done    chan struct{}
	err     error
}

func keep(ctx context.Context, p process) *kept {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // it is stopped in its turn
	k := &kept{process: p, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(k.done)
		k.err = k.run(ctx)
	}()
	return k
}

func (k *kept) run(ctx context.Context) error {
	for wait := restartFirst; ; wait = min(2*wait, restartLast) {
		began := time.Now()
		child, err := k.start(ctx)
		if err != nil {
			return fmt.Errorf("start %s: %w", k.path, err)
		}
		select {
		case <-ctx.Done():
			return child.Stop(syscall.SIGTERM, processGrace)
		case <-child.Done():
		}
		if !k.settled.Load() {
			return fmt.Errorf("%s ended before it was ready: %w", k.name, errors.Join(child.Err(), errors.New("its last lines above say why")))
		}
		if time.Since(began) > 2*restartLast {
			wait = restartFirst
		}
		k.log.ErrorContext(ctx, "a process died and is started again", "name", k.name, "error", child.Err(), "after", wait.String())
		if pause(ctx, wait) != nil {
			return nil //nolint:nilerr // told to stop while it was not running
		}
	}
}

// start makes a child that is killed when we are: its queue and its database go with us, so there is nothing that it could finish.
func (k *kept) start(ctx context.Context) (*embedded.Child, error) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), k.path) //nolint:gosec // G204: our own program beside this one
	cmd.Env = k.env
	cmd.Stdout, cmd.Stderr = k.output, k.output
	return embedded.StartChild(cmd, syscall.SIGKILL)
}

// stop lets the process finish, and waits for it.
func (k *kept) stop() error {
	k.cancel()
	<-k.done
	return k.err
}
