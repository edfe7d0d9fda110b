package pdftext

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// Pool reads documents in child processes. It is safe for concurrent use. Each child reads one document at a time;
// further documents wait for a free child.
type Pool struct {
	opt   Options
	ctx   context.Context // ends when the pool is closed
	close context.CancelFunc
	once  sync.Once
	seats chan *seat
	forks chan func()
	empty chan struct{} // closed when the last child is gone

	open    sync.Once  // to log once that children are less confined than they should be
	warming sync.Mutex // held while PDFium is compiled
	warmed  bool       // whether compiling was tried
	cached  bool       // CacheDir has the result
}

// seat is the right to have one child. A seat whose child is free waits in Pool.seats.
type seat struct {
	child *process // nil if the last one could not be replaced; the next document tries again
}

// NewPool starts the children in the background and returns at once. The caller must call Close at the end.
func NewPool(o Options) *Pool {
	ctx, cancel := context.WithCancel(context.Background())
	o = o.withDefaults()
	p := &Pool{
		opt: o, ctx: ctx, close: cancel,
		seats: make(chan *seat, o.Children), forks: make(chan func()), empty: make(chan struct{}),
	}
	go p.parent()
	for range o.Children {
		go p.fill(&seat{})
	}
	return p
}

// parent starts the children, all in one thread. The kernel kills a child when the thread that started it ends
// (PR_SET_PDEATHSIG), and Go may end any thread except one that a goroutine has locked.
func (p *Pool) parent() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for {
		select {
		case fork := <-p.forks:
			fork()
		case <-p.empty:
			return
		}
	}
}

func (p *Pool) fork(cmd *exec.Cmd) error {
	done := make(chan error, 1)
	select {
	case p.forks <- func() { done <- cmd.Start() }:
		return <-done
	case <-p.empty:
		return ErrClosed
	}
}

func (p *Pool) config() config {
	return config{
		MemoryLimit: p.opt.MemoryLimit, MaxPages: p.opt.MaxPages, MaxTextBytes: p.opt.MaxTextBytes, CacheDir: p.opt.CacheDir,
	}
}

// fill starts a child for a seat and puts the seat into p.seats, without a child if none could be started.
func (p *Pool) fill(s *seat) {
	child, err := p.start(p.opt.wall(), p.config())
	if err != nil && p.ctx.Err() == nil {
		p.opt.Logger.ErrorContext(p.ctx, "no process to read PDFs could be started", "error", err)
	}
	s.child = child
	p.seats <- s
}

// take waits for a free seat. The error is ErrClosed, or the cause of the end of ctx.
func (p *Pool) take(ctx context.Context) (*seat, error) {
	select {
	case s := <-p.seats:
		if p.ctx.Err() == nil && ctx.Err() == nil {
			return s, nil
		}
		p.seats <- s
	case <-ctx.Done():
	case <-p.ctx.Done():
	}
	if p.ctx.Err() != nil {
		return nil, ErrClosed
	}
	return nil, context.Cause(ctx)
}

// give returns a seat to the pool. A child that has ended, must not be used again or has read RecycleAfter documents is
// first replaced, in the background.
func (p *Pool) give(s *seat) {
	if s.child != nil && !s.child.spent && s.child.served < p.opt.RecycleAfter && s.child.rest() == nil {
		p.seats <- s
		return
	}
	go func() {
		s.drop()
		p.fill(s)
	}()
}

func (c *process) rest() error {
	if err := c.within(time.Now().Add(time.Second)); err != nil {
		return err
	}
	return c.send(request{Op: opRest})
}

func (s *seat) drop() {
	if s.child != nil {
		s.child.end()
		s.child = nil
	}
}

// Read waits until a child is free, reads the PDF from r, and returns its text. It reads at most one byte more than
// Options.MaxInputBytes. The end of ctx does not interrupt a read from r. If only part of the text could be read, Read
// returns that part and sets Document.Problem to the reason.
//
// The error is ErrEncrypted, ErrDamaged, ErrTimeout, ErrTooLarge, ErrMemory or ErrCrashed if the file is at fault, and
// ErrClosed, ErrNoChild or ErrInterrupted if it is not. It may also be the error of r, or the cause of the end of ctx.
func (p *Pool) Read(ctx context.Context, r io.Reader) (Document, error) {
	s, err := p.take(ctx)
	if err != nil {
		return Document{}, err
	}
	defer p.give(s)
	doc, err := p.input(r)
	if err != nil {
		return Document{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.ctx, func() { cancel(ErrClosed) })()
	job := reading{pool: p, seat: s, doc: doc, left: p.opt.Timeout, deadline: time.Now().Add(p.opt.wall())}
	return job.run(ctx)
}

// Warm compiles PDFium into CacheDir, in a separate child that reads no document. Otherwise the first document would
// have to wait the seconds that this takes. Call it in the background at start; without a CacheDir it is of no use. The
// error is ErrNoChild, the cause of the end of ctx, or the reason why compiling failed; documents can be read after an
// error too.
func (p *Pool) Warm(ctx context.Context) error {
	p.warming.Lock()
	defer p.warming.Unlock()
	return p.warm(ctx)
}

// useCache reports whether CacheDir has the compiled PDFium. If there is a CacheDir and nothing was compiled before, it
// compiles PDFium first. It logs a failure.
func (p *Pool) useCache(ctx context.Context) bool {
	p.warming.Lock()
	defer p.warming.Unlock()
	if !p.warmed && p.opt.CacheDir != "" {
		if err := p.warm(ctx); err != nil && ctx.Err() == nil {
			p.opt.Logger.WarnContext(ctx, "the compiled second PDF reader could not be stored; each process compiles it",
				"error",
				err)
		}
	}
	return p.cached
}

// longestWarm bounds the wall-clock time for compiling PDFium. That takes seconds of processor time, for which a reader
// of low priority may wait minutes on a busy machine. Since no document is read, no document can prolong it.
const longestWarm = 15 * time.Minute

func (p *Pool) warm(ctx context.Context) error {
	cfg := p.config()
	cfg.Trusted = true
	child, err := p.start(p.opt.wall(), cfg)
	if err != nil {
		return err
	}
	defer child.end()
	var done event
	wall := time.Now().Add(longestWarm)
	if err := child.ask(ctx, request{Op: opWarm}, nil, newMeter(child, allowance{load: p.opt.wall()}), wall,
		func(e event) { done = e }); err != nil {
		return child.why(err)
	}
	p.warmed = true
	if done.Fault != "" {
		return fmt.Errorf("compile PDFium: %s", done.Detail)
	}
	p.cached = p.opt.CacheDir != ""
	return nil
}

// Close kills the children, those at work too, and waits until they are gone and calls have read the files that they
// were passed: a file that cannot be read to its end makes Close wait. Further calls do nothing. It always returns nil.
func (p *Pool) Close() error {
	p.once.Do(func() {
		p.close()
		for range p.opt.Children {
			(<-p.seats).drop()
		}
		close(p.empty)
	})
	return nil
}
