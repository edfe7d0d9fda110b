package pdftext

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"time"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// widest is the greatest width of a picture, in pixels. slimmest is the greatest height of a picture, as a multiple of
// the width that was asked for: a page that would be taller is drawn narrower.
const (
	widest   = 2000
	slimmest = 2
)

// A picture of a page is a PNG, which keeps letters sharp, unless that would be larger than this: then it is a JPEG.
const (
	largestPNG  = 192 << 10
	jpegQuality = 85
)

// Draw draws at most most pages of a PDF, beginning with page first, which counts from 1. No picture is more than width
// or 2000 pixels wide. Each is passed to got, in order, as a PNG or a JPEG. Draw returns the number of pages of the
// file. It waits, reads r and fails as Read does; after an error, got has had the pages before the one that cannot be
// drawn.
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

// input reads the document, and refuses one that is too long or not a PDF before a child is asked.
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

// draw answers a request for pictures, or for words, in the child.
func (c *child) draw(ask request) (done event) {
	defer recoverTo(&done)
	r, err := c.second(ask.Cached)
	if err != nil {
		return failure(event{Kind: kindDone, Spent: true}, faultCrashed, err)
	}
	if err := c.send(event{Kind: kindStarted}); err != nil {
		return event{Kind: kindDone, Spent: true}
	}
	done = r.draw(c.doc, ask, c.send)
	done.Kind, done.Detail = kindDone, head(done.Detail)
	return done
}

func (p *pdfiumReader) draw(doc []byte, ask request, send func(any) error) (done event) {
	defer recoverTo(&done)
	if err := p.renew(); err != nil {
		return failure(event{Spent: true}, faultCrashed, err)
	}
	p.dirty = true
	file, err := p.openOrMend(doc)
	if err != nil {
		return refusal(err)
	}
	count, err := p.now.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: file})
	if err != nil {
		return refusal(err)
	}
	done.Count = count.PageCount
	for i := max(ask.First, 0); i < min(ask.First+ask.Most, done.Count); i++ {
		page, err := p.shown(file, i, ask)
		if err == nil {
			err = send(page)
		}
		if err != nil {
			return failure(event{Count: done.Count, Spent: broken(err)}, faultDamaged, fmt.Errorf("page %d: %w", i+1, err))
		}
	}
	return done
}

// shown returns what is asked for of page i: its words or its picture.
func (p *pdfiumReader) shown(file references.FPDF_DOCUMENT, i int, ask request) (page event, err error) {
	page = event{Kind: kindPage, Page: i}
	if ask.Op == opWords {
		page.Words, err = p.words(file, i)
	} else {
		page.Picture, err = p.picture(file, i, ask.Width)
	}
	return page, err
}

// openOrMend opens a document, also one whose end is missing.
func (p *pdfiumReader) openOrMend(doc []byte) (references.FPDF_DOCUMENT, error) {
	file, err := p.now.OpenDocument(&requests.OpenDocument{File: &doc})
	if err == nil {
		return file.Document, nil
	}
	mended, ok := mend(doc)
	if !ok {
		return "", err
	}
	if file, err = p.now.OpenDocument(&requests.OpenDocument{File: &mended}); err != nil {
		return "", err
	}
	return file.Document, nil
}

// picture draws page i on white.
func (p *pdfiumReader) picture(doc references.FPDF_DOCUMENT, i, width int) ([]byte, error) {
	drawn, err := p.now.RenderPageInPixels(&requests.RenderPageInPixels{
		Page: requests.Page{ByIndex: &requests.PageByIndex{Document: doc, Index: i}}, Width: width, Height: slimmest * width,
		RenderFlags: enums.FPDF_RENDER_FLAG_ANNOT,
	})
	if err != nil {
		return nil, err
	}
	defer drawn.Cleanup()
	page := drawn.Result.Image
	onWhite := image.NewRGBA(page.Bounds())
	draw.Draw(onWhite, onWhite.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(onWhite, onWhite.Bounds(), page, page.Bounds().Min, draw.Over)
	return encode(onWhite)
}

func encode(picture image.Image) ([]byte, error) {
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, picture); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	if out.Len() <= largestPNG {
		return out.Bytes(), nil
	}
	out.Reset()
	if err := jpeg.Encode(&out, picture, &jpeg.Options{Quality: jpegQuality}); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return out.Bytes(), nil
}
