package pdftext

import (
	"context"
	"fmt"
	"io"
	"time"
)

// widest is the greatest width of a picture, in pixels.
const widest = 2000

// Draw draws up to most pages of a PDF, beginning with page first, which counts from 1. No picture is wider than width
// or 2000 pixels. Each picture is passed to got, in order, as a PNG or a JPEG. Draw returns the number of pages of the
// file. It waits, reads r and fails as Read does. After an error, got was called for the pages before the one that
// cannot be drawn.
func (p *Pool) Draw(
	ctx context.Context, r io.Reader, first, most, width int, got func(page int, picture []byte),
) (count int, err error) {
	req := request{Op: opDraw, First: first - 1, Most: most, Width: min(width, widest)}
	return p.pages(ctx, r, req, func(e event) { got(e.Page+1, e.Picture) })
}

// pages sends a request about pages of a PDF to a child, and passes its answer for each page to got. It returns the
// number of pages of the file.
func (p *Pool) pages(ctx context.Context, r io.Reader, req request, got func(event)) (count int, err error) {
	s, err := p.take(ctx)
	if err != nil {
		return 0, err
	}
	defer p.give(s)
	doc, err := p.input(r)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.ctx, func() { cancel(ErrClosed) })()
	if s.child == nil {
		if s.child, err = p.start(p.opt.wall(), p.config()); err != nil {
			s.child = nil
			return 0, err
		}
	}
	child := s.child
	child.served++
	req.Size, req.Cached = len(doc), p.useCache(ctx)
	limit := p.opt.Timeout
	m := newMeter(child, allowance{load: max(limit, time.Minute), page: limit / 2, whole: limit, limit: limit})
	var done event
	err = child.ask(ctx, req, doc, m, time.Now().Add(p.opt.wall()), func(e event) {
		if e.Kind == kindPage {
			got(e)
		}
		done = e
	})
	if err != nil {
		s.child = nil
		return 0, child.why(err)
	}
	child.spent = child.spent || done.Spent
	return done.Count, faultError(done.Fault, done.Detail)
}

// input reads the document. Before a child is involved, it refuses one of more than MaxInputBytes with ErrTooLarge, and
// one that is not a PDF with ErrDamaged. Any other error is that of r.
func (p *Pool) input(r io.Reader) ([]byte, error) {
	doc, err := io.ReadAll(io.LimitReader(r, p.opt.MaxInputBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	if int64(len(doc)) > p.opt.MaxInputBytes {
		return nil, fmt.Errorf("%w (more than %d bytes)", ErrTooLarge, p.opt.MaxInputBytes)
	}
	if !looksLikePDF(doc) {
		return nil, fmt.Errorf("%w (no %%PDF- at its beginning)", ErrDamaged)
	}
	return doc, nil
}
