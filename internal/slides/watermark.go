package slides

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	_ "image/png" // the format of the pictures of pages
	"io"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

const (
	markQuality = 82      // of the JPEG
	markPixels  = 4 << 20 // of the largest picture that is marked
	markSize    = 26      // of the letters, in pixels
	markRows    = 6
)

// Marked returns the picture of a page with a text across it, as a JPEG. The errors are those of Page; a picture of
// more than markPixels is an error too. At most markAtOnce pages are marked at the same time, since marking takes
// processor time; a further call waits until another ends, or ctx does.
func (s *Slides) Marked(ctx context.Context, key string, page int, text string) ([]byte, error) {
	picture, err := s.Page(ctx, key, page)
	if err != nil {
		return nil, err
	}
	defer picture.Close()
	select {
	case s.marking <- struct{}{}:
		defer func() { <-s.marking }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	marked, err := mark(picture, text)
	if err != nil {
		return nil, fmt.Errorf("mark page %d of %s: %w", page, key, err)
	}
	return marked, nil
}

// mark writes a text across a picture, in rows of which every second is shifted to the left, and returns the result as
// a JPEG. picture must be at its beginning. A picture of more than markPixels is an error. The error is not a fault.
func mark(picture io.ReadSeeker, text string) ([]byte, error) {
	size, _, err := image.DecodeConfig(picture)
	if err == nil {
		_, err = picture.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, err
	}
	if size.Width*size.Height > markPixels {
		return nil, fmt.Errorf("the picture has %d by %d pixels", size.Width, size.Height)
	}
	decoded, _, err := image.Decode(picture)
	if err != nil {
		return nil, err
	}
	canvas := image.NewRGBA(decoded.Bounds())
	draw.Draw(canvas, canvas.Bounds(), decoded, decoded.Bounds().Min, draw.Src)
	letters, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, err
	}
	face, err := opentype.NewFace(letters, &opentype.FaceOptions{Size: markSize, DPI: 72})
	if err != nil {
		return nil, err
	}
	defer face.Close()
	write(canvas, face, text)
	var out bytes.Buffer
	err = jpeg.Encode(&out, canvas, &jpeg.Options{Quality: markQuality})
	return out.Bytes(), err
}

// write repeats the text over the canvas, in dark letters with a light edge, which are readable on any background.
func write(canvas *image.RGBA, face font.Face, text string) {
	across := font.MeasureString(face, text).Ceil() + 4*markSize
	height := canvas.Bounds().Dy()
	for row := range markRows {
		y := height * (2*row + 1) / (2 * markRows)
		for x := -across * (row % 2) / 2; x < canvas.Bounds().Dx(); x += across {
			for _, ink := range []struct {
				offset int
				color  color.Color
			}{{1, color.NRGBA{255, 255, 255, 110}}, {0, color.NRGBA{60, 60, 60, 90}}} {
				pen := font.Drawer{
					Dst: canvas, Src: image.NewUniform(ink.color), Face: face, Dot: fixed.P(x+ink.offset, y+ink.offset),
				}
				pen.DrawString(text)
			}
		}
	}
}
