package pdftext_test

import (
	"fmt"
	"strings"
	"testing"

	"dealflow/internal/pdftext"
)

// annotatedPage is a page with the usual words and these annotations; %d in them is the number of an appearance that
// shows "Anvils Ltd".
func annotatedPage(annotations ...string) []byte {
	f := &file{}
	font := f.add(helvetica)
	resources := fmt.Sprintf("<</Font<</F1 %d 0 R>>>>", font)
	look := f.stream("/Type/XObject/Subtype/Form/BBox[0 0 200 30]/Resources"+resources,
		"BT /F1 12 Tf 5 5 Td (Anvils Ltd) Tj ET")
	tree := f.add("")
	content := f.stream("", show(filler))
	all := strings.ReplaceAll(strings.Join(annotations, ""), "%d", fmt.Sprint(look))
	page := f.add(fmt.Sprintf("<</Type/Page/Parent %d 0 R/MediaBox[0 0 960 540]/Contents %d 0 R/Resources%s/Annots[%s]>>",
		tree, content, resources, all))
	f.set(tree, fmt.Sprintf("<</Type/Pages/Kids[%d 0 R]/Count 1>>", page))
	return f.bytes(f.add(fmt.Sprintf("<</Type/Catalog/Pages %d 0 R>>", tree)), "")
}

func TestFormsAndAnnotationsAreRead(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{})
	for name, tc := range map[string]struct {
		annotation, reader string
		want, not          string
	}{
		"drawn field": {
			"<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(Anvils Ltd)/Rect[50 50 250 80]/F 4/AP<</N %d 0 R>>>>", pdftext.PDFium,
			"Anvils Ltd", "",
		},
		"field, no look": {
			"<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(Seed round)/Rect[50 50 250 80]/F 4>>", pdftext.PDFium, "Seed round", "",
		},
		"ticked box": {
			"<</Type/Annot/Subtype/Widget/FT/Btn/T(a)/V/Ticked/Rect[50 50 250 80]/F 4>>", pdftext.PDFium, "", "Ticked",
		},
		"drawn free text": {
			"<</Type/Annot/Subtype/FreeText/Contents(Anvils Ltd)/Rect[50 50 250 80]/F 4/AP<</N %d 0 R>>>>", pdftext.PDFium,
			"Anvils Ltd", "",
		},
		"note": {
			"<</Type/Annot/Subtype/Text/Contents(Ask for the cap table)/Rect[50 50 70 70]>>", pdftext.PDFium,
			"Ask for the cap table", "",
		},
		"hidden note": {
			"<</Type/Annot/Subtype/Text/Contents(Nobody sees it)/Rect[50 50 70 70]/F 2>>", pdftext.PDFium, "", "Nobody",
		},
		"link": {
			"<</Type/Annot/Subtype/Link/Contents(A link)/Rect[50 50 70 70]>>", pdftext.Ledongthuc, "", "A link",
		},
		"no annotation": {"null 7", pdftext.PDFium, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := mustRead(t, p, annotatedPage(tc.annotation))
			text := strings.Join(doc.Pages, "\n")
			if doc.Reader != tc.reader || strings.Count(text, tc.want) != 1 && tc.want != "" ||
				tc.not != "" && strings.Contains(text, tc.not) || !strings.Contains(text, filler) {
				t.Errorf("%s read %q, want %s, %q once and no %q", doc.Reader, text, tc.reader, tc.want, tc.not)
			}
		})
	}
}
