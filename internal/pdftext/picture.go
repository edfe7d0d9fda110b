package pdftext

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// slimmest is the greatest height of a picture, as a multiple of the requested width: a page that would be taller is
// drawn narrower.
const slimmest = 2

// A picture of a page is a PNG, which keeps letters sharp. If the PNG would have more than largestPNG bytes, the
// picture is a JPEG of this quality (of 100).
const (
	largestPNG  = 192 << 10
	jpegQuality = 85
)

// draw answers a request for pictures, or for words, in the child, and returns the last event.
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

// shown returns page i, counted from 0, as an event of kindPage: with its words if ask.Op is opWords, otherwise with
// its picture, which is at most ask.Width pixels wide.
func (p *pdfiumReader) shown(file references.FPDF_DOCUMENT, i int, ask request) (page event, err error) {
	page = event{Kind: kindPage, Page: i}
	if ask.Op == opWords {
		page.Words, err = p.words(file, i)
	} else {
		page.Picture, err = p.picture(file, i, ask.Width)
	}
	return page, err
}

// openOrMend opens a document. If that fails, it tries again with the end of the file repaired. If the end cannot be
// repaired, it returns the first error.
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

// picture draws page i on white and returns it as a PNG or a JPEG. The picture is at most width pixels wide, and at
// most slimmest times as high.
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
