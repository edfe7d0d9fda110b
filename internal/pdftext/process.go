package pdftext

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
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
}

// start begins a child and waits, at most for patience, until it is ready.
func (p *Pool) start(patience time.Duration) (*process, error) {
	c, err := p.launch()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoChild, err)
	}
	if err := c.greet(p.config(), patience); err != nil {
		c.end()
		return nil, fmt.Errorf("%w: %w: %s", ErrNoChild, err, c.errors.String())
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
	c := &process{in: in, out: out, gone: make(chan struct{})}
	c.link = newLink(out, in, 1<<20+8*p.opt.MaxTextBytes)  // JSON makes up to six bytes of one
	c.cmd = exec.CommandContext(p.ctx, exe, childArgument) //nolint:gosec // this very program
	c.cmd.Env = []string{}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = childIn, childOut, &c.errors
	leash(c.cmd)
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

func (c *process) greet(cfg config, patience time.Duration) error {
	if err := c.within(time.Now().Add(patience)); err != nil {
		return err
	}
	if err := c.send(cfg); err != nil {
		return err
	}
	var ready event
	return c.receive(&ready)
}

// within sets when sending and receiving give up.
func (c *process) within(deadline time.Time) error {
	return errors.Join(c.in.SetWriteDeadline(deadline), c.out.SetReadDeadline(deadline))
}

// end kills the child and waits until it is gone. A child that has ended already is fine too.
func (c *process) end() {
	_ = c.cmd.Process.Kill()
	<-c.gone
	_ = c.in.Close()
	_ = c.out.Close()
}

// ask sends a request with its document and hands every answer to got until the last one. until says when to give up
// waiting for the answer after one of the given kind, "" being what comes before the first. When ctx ends, the child does.
func (c *process) ask(ctx context.Context, req request, doc []byte, until func(kind string) time.Time, got func(event)) error {
	stop := context.AfterFunc(ctx, func() { _ = c.cmd.Process.Kill() })
	err := c.exchange(req, doc, until, got)
	if !stop() {
		return context.Cause(ctx)
	}
	return err
}

func (c *process) exchange(req request, doc []byte, until func(kind string) time.Time, got func(event)) error {
	if err := c.within(until("")); err != nil {
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
		if err := c.within(until(e.Kind)); err != nil {
			return err
		}
	}
}

// why tells from err, and from how the child ended, what became of the document. The child is gone after it.
func (c *process) why(err error) error {
	c.end()
	said := c.errors.String()
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, ErrClosed):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return ErrTimeout
	case strings.Contains(said, "out of memory"), strings.Contains(said, "cannot allocate memory"):
		return ErrMemory
	}
	if said == "" {
		said = err.Error()
	}
	return fmt.Errorf("%w (%s)", ErrCrashed, firstLine(said))
}

// firstLine gives the beginning of what a child said in the end: it may go on for pages, and with words of the document.
func firstLine(said string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	return strings.ToValidUTF8(line[:min(len(line), 120)], "")
}

// opening keeps the beginning of what is written to it, where Go tells what it dies of.
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
