package pdftext

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// process is a child as its parent sees it. It serves one document at a time.
type process struct {
	link
	cmd    *exec.Cmd
	in     *os.File // its standard input
	out    *os.File // its standard output
	errors opening
	gone   chan struct{} // closed when it has ended
	served int           // documents
	spent  bool          // it said that it is not to be used again
	begun  time.Time     // when it was started

	stopped atomic.Pointer[error] // why the parent killed it
}

// start begins a child and waits, at most for patience, until it is ready. Every error wraps ErrNoChild.
func (p *Pool) start(patience time.Duration, cfg config) (*process, error) {
	c, err := p.launch()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoChild, err)
	}
	missing, err := c.greet(cfg, patience)
	if err != nil {
		c.end()
		return nil, fmt.Errorf("%w: %w: %s", ErrNoChild, err, c.errors.String())
	}
	if missing != "" {
		p.open.Do(func() {
			p.opt.Logger.WarnContext(p.ctx, "PDF readers are less confined than they should be", "without", missing)
		})
	}
	return c, nil
}

func (p *Pool) launch() (*process, error) {
	exe, err := executable()
	if err != nil {
		return nil, err
	}
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close(), childIn.Close())
	}
	c := &process{in: in, out: out, gone: make(chan struct{}), begun: time.Now()}
	c.link = newLink(out, in, 1<<20+8*p.opt.MaxTextBytes)  // JSON makes up to six bytes of one
	c.cmd = exec.CommandContext(p.ctx, exe, childArgument) //nolint:gosec // this very program
	c.cmd.Env = []string{}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = childIn, childOut, &c.errors
	bindToParent(c.cmd)
	err = p.fork(c.cmd)
	if closing := errors.Join(childIn.Close(), childOut.Close()); err == nil {
		err = closing
	}
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	go func() {
		_ = c.cmd.Wait() // how it ended is in cmd.ProcessState
		close(c.gone)
	}()
	return c, nil
}

// greet sends the child its configuration and waits until the child is ready. It returns which of the child's
// restrictions could not be set, "" for none.
func (c *process) greet(cfg config, patience time.Duration) (missing string, err error) {
	if err := c.within(time.Now().Add(patience)); err != nil {
		return "", err
	}
	if err := c.send(cfg); err != nil {
		return "", err
	}
	var ready event
	err = c.receive(&ready)
	return ready.Detail, err
}

// within sets the deadline of sending and receiving.
func (c *process) within(deadline time.Time) error {
	return errors.Join(c.in.SetWriteDeadline(deadline), c.out.SetReadDeadline(deadline))
}

// end kills the child, waits until it has ended, and closes the pipes to it. It must be called also for a child that
// has ended by itself, and may be called again.
func (c *process) end() {
	_ = c.cmd.Process.Kill()
	<-c.gone
	_ = c.in.Close()
	_ = c.out.Close()
}

// stop kills the child. The method why then returns the reason; of several calls of stop, that of the first.
func (c *process) stop(why error) {
	c.stopped.CompareAndSwap(nil, &why)
	_ = c.cmd.Process.Kill()
}

// ask sends a request with its document and calls got with every answer up to the last one. The child is killed when
// ctx ends, and ask then returns the cause; it is also killed when it uses more processor time than the meter allows.
// If the last answer has not come by wall, ask returns os.ErrDeadlineExceeded. After an error the caller must call why,
// and must not use the child again.
func (c *process) ask(ctx context.Context, req request, doc []byte, m *meter, wall time.Time, got func(event)) error {
	defer context.AfterFunc(ctx, func() { c.stop(context.Cause(ctx)) })()
	defer m.watch()()
	err := c.exchange(req, doc, wall, func(e event) {
		m.note(e.Kind)
		got(e)
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (c *process) exchange(req request, doc []byte, wall time.Time, got func(event)) error {
	if err := c.within(wall); err != nil {
		return err
	}
	if err := c.send(req); err != nil {
		return err
	}
	if _, err := c.in.Write(doc[:req.Size]); err != nil {
		return err
	}
	for {
		var e event
		if err := c.receive(&e); err != nil {
			return err
		}
		got(e)
		if e.Kind == kindDone {
			return nil
		}
	}
}

// dying is how long a child that stopped answering may take to end. After that it is killed, and the error is
// ErrCrashed.
const dying = 5 * time.Second

// why returns the reason why the document could not be read, from err, which is the error of ask, and from the way in
// which the child ended. It kills the child if that is still alive, and waits until it has ended.
func (c *process) why(err error) error {
	slow := errors.Is(err, os.ErrDeadlineExceeded)
	if !slow {
		select {
		case <-c.gone:
		case <-time.After(dying):
			c.stop(ErrCrashed) // it sent something that is no answer
		}
	}
	ours := c.stopped.Load()
	c.end()
	said := c.errors.String()
	switch {
	case ours != nil:
		return *ours
	case slow:
		return fmt.Errorf("%w (it got too little processor time)", ErrInterrupted)
	case strings.Contains(said, "out of memory"), strings.Contains(said, "cannot allocate memory"):
		return ErrMemory
	}
	if signal := killedBy(c.cmd.ProcessState); signal != "" {
		return fmt.Errorf("%w (%s)", ErrInterrupted, signal)
	}
	if said == "" {
		said = err.Error()
	}
	return fmt.Errorf("%w (%s)", ErrCrashed, firstLine(said))
}

// firstLine returns the first line, cut to 120 bytes, of the child's last output, which may be pages long and contain
// words of the document.
func firstLine(said string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	return strings.ToValidUTF8(line[:min(len(line), 120)], "")
}

// opening keeps the first 4096 bytes written to it. It is the standard error of a child, to which Go writes why a
// process crashed.
type opening struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer and never fails.
func (t *opening) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[:min(len(p), 4096-len(t.text))]...)
	return len(p), nil
}

func (t *opening) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
