package pdftext_test

import (
	"bytes"
	"errors"
	"image"
	_ "image/jpeg" // the pictures
	_ "image/png"  // are one of these
	"strings"
	"testing"

	"dealflow/internal/pdftext"
)

func TestPagesAreDrawn(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{Children: 1})
	deck := pages(helvetica, show(filler), show("the second page"), show("the third page"))
	drawn := map[int]image.Image{}
	count, err := p.Draw(t.Context(), bytes.NewReader(deck), 2, 5, 400, func(page int, picture []byte) {
		decoded, _, err := image.Decode(bytes.NewReader(picture))
		if err != nil {
			t.Errorf("page %d: %v", page, err)
		}
		drawn[page] = decoded
	})
	if err != nil || count != 3 || len(drawn) != 2 || drawn[2] == nil || drawn[3] == nil {
		t.Fatalf("drew %d pages of %d: %v", len(drawn), count, err)
	}
	if size := drawn[2].Bounds(); size.Dx() > 400 || size.Dx() < 200 || !isWrittenOn(drawn[2]) {
		t.Errorf("the picture is %v, with something on it: %v", size, isWrittenOn(drawn[2]))
	}
	if doc := mustRead(t, p, deck); len(doc.Pages) != 3 {
		t.Errorf("after it was drawn, the child reads %d pages", len(doc.Pages))
	}
}

func isWrittenOn(picture image.Image) bool {
	for x := range picture.Bounds().Dx() {
		for y := range picture.Bounds().Dy() {
			if r, _, _, _ := picture.At(x, y).RGBA(); r < 0x4000 {
				return true
			}
		}
	}
	return false
}

func TestWhatIsNoPDFIsNotDrawn(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{Children: 1})
	for name, content := range map[string]string{"a text": "hello", "only a header": "%PDF-1.7\n"} {
		_, err := p.Draw(t.Context(), strings.NewReader(content), 1, 1, 400,
			func(int, []byte) { t.Error("there is a picture") })
		if !errors.Is(err, pdftext.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
