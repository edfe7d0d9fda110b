// Package embedded runs the servers that dealflow needs on a machine that has none running: a private Postgres cluster
// in a folder and a private Redis. It finds or fetches their binaries. It also runs child processes, which on Linux
// never outlive the process that started them.
package embedded

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Child is a process that this process has started. On Linux, the kernel sends it a signal when this process dies, for
// whatever reason. It is safe for concurrent use.
type Child struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// StartChild starts cmd in a separate process group, so that a Ctrl-C in the terminal reaches only this process, which
// then stops its children in order. onDeath is the signal that the child gets, on Linux only, when this process has
// died. StartChild changes cmd. It returns the error of cmd.Start.
func StartChild(cmd *exec.Cmd, onDeath syscall.Signal) (*Child, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	if cmd.WaitDelay == 0 {
		cmd.WaitDelay = 2 * time.Second // a grandchild that keeps the output open must not keep us waiting
	}
	cmd.SysProcAttr.Setpgid = true
	dieWithUs(cmd, onDeath)
	child := &Child{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go child.run(started)
	if err := <-started; err != nil {
		return nil, err
	}
	return child, nil
}

// run starts the child and waits for its end in one thread: the kernel sends the death signal when the thread that
// started the child ends, and the Go runtime may end an idle thread at any time. It sends the error of the start, or
// nil, to started.
func (c *Child) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := c.cmd.Start(); err != nil {
		started <- err
		return
	}
	started <- nil
	c.err = c.cmd.Wait()
	close(c.done)
}

// PID returns the process id of the child.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Done returns a channel that is closed when the child has ended and its output has been read.
func (c *Child) Done() <-chan struct{} { return c.done }

// Err waits for the end of the child and returns how it ended, as exec.Cmd.Wait does: nil for exit code 0, an
// *exec.ExitError for any other.
func (c *Child) Err() error {
	<-c.done
	return c.err
}

// Stop sends sig to the child and waits for its end. After grace it kills the child's whole process group and returns
// an error that says so. If the signal cannot be sent to a child that has not ended, it returns that error at once. It
// returns nil for a child that has ended already. How the child ends is not an error; see Err.
func (c *Child) Stop(sig syscall.Signal, grace time.Duration) error {
	if err := c.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s (pid %d): %w", c.cmd.Path, c.PID(), err)
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-c.done:
		return nil
	case <-timer.C:
	}
	_ = syscall.Kill(-c.PID(), syscall.SIGKILL)
	<-c.done
	return fmt.Errorf("%s (pid %d) did not stop within %s and was killed", c.cmd.Path, c.PID(), grace)
}
