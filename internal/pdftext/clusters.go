package pdftext

import (
	"math"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"dealflow/internal/pdftext/pagetext"
)

// clusters reports whether more than one in twenty letters of the text is of a script whose letters are drawn in
// clusters and out of order.
func clusters(text string) bool {
	letters, found := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsMark(r) {
			letters++
		}
		if pagetext.IsClustered(r) {
			found++
		}
	}
	return found*20 > letters
}

// asWritten returns the text of a page in the order of its text objects. PDFium sorts them by position, which splits
// clusters of letters; the text of a cluster comes from the ActualText that browsers store with it. ok is false for a
// page without ActualText, with a text object of several words, with a form object, or with more than maxMended
// objects.
func (t textPage) asWritten() (text string, ok bool, err error) {
	count, err := t.pdfium.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: t.page})
	if err != nil || count.Count > maxMended {
		return "", false, err
	}
	var w writing
	for i := range count.Count {
		object, err := t.pdfium.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: t.page, Index: i})
		if err != nil {
			return "", false, err
		}
		kind, err := t.pdfium.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: object.PageObject})
		if err != nil || kind.Type == enums.FPDF_PAGEOBJ_FORM {
			return "", false, err
		}
		if kind.Type != enums.FPDF_PAGEOBJ_TEXT {
			continue
		}
		piece, err := t.piece(object.PageObject)
		if err != nil {
			return "", false, err
		}
		if strings.Contains(piece.text, " ") {
			return "", false, nil
		}
		w.add(piece)
	}
	return w.text.String(), w.clusters, nil
}

// piece is one text object. Positions are in points.
type piece struct {
	text        string
	cluster     string // the ActualText that it is a part of
	left, right float64
	base        float64 // of the line
	size        float64
}

func (t textPage) piece(object references.FPDF_PAGEOBJECT) (piece, error) {
	text, err := t.pdfium.FPDFTextObj_GetText(&requests.FPDFTextObj_GetText{PageObject: object, TextPage: t.text})
	if err != nil {
		return piece{}, err
	}
	matrix, err := t.pdfium.FPDFPageObj_GetMatrix(&requests.FPDFPageObj_GetMatrix{PageObject: object})
	if err != nil {
		return piece{}, err
	}
	bounds, err := t.pdfium.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: object})
	if err != nil {
		return piece{}, err
	}
	cluster, err := t.cluster(object)
	m := matrix.Matrix
	return piece{
		text: strings.TrimSpace(text.Text), cluster: cluster, left: float64(m.E), right: float64(bounds.Right),
		base: float64(m.F), size: float64(bounds.Top - bounds.Bottom),
	}, err
}

func (t textPage) cluster(object references.FPDF_PAGEOBJECT) (string, error) {
	marks, err := t.pdfium.FPDFPageObj_CountMarks(&requests.FPDFPageObj_CountMarks{PageObject: object})
	if err != nil || marks.Count == 0 {
		return "", err
	}
	//nolint:gosec // positive
	mark, err := t.pdfium.FPDFPageObj_GetMark(&requests.FPDFPageObj_GetMark{
		PageObject: object, Index: uint64(marks.Count - 1),
	})
	if err != nil {
		return "", err
	}
	actual, err := t.pdfium.FPDFPageObjMark_GetParamStringValue(&requests.FPDFPageObjMark_GetParamStringValue{
		PageObjectMark: mark.Mark, Key: "ActualText",
	})
	if broken(err) {
		return "", err
	}
	if err != nil {
		return "", nil //nolint:nilerr // a mark without ActualText
	}
	return actual.Value, nil
}

// writing is the text of a page while it is assembled.
type writing struct {
	text     strings.Builder
	last     piece
	clusters bool // there was ActualText
}

// add appends the text of a piece. It first appends a line break if the piece is on another line than the last one or
// is the first of the page, or a space if there is a gap between the two. A piece without text is a space. The second
// and further pieces of a cluster add nothing.
func (w *writing) add(p piece) {
	w.clusters = w.clusters || p.cluster != ""
	switch {
	case p.cluster != "" && p.cluster == w.last.cluster:
		w.last.right = max(w.last.right, p.right)
		return
	case math.Abs(p.base-w.last.base) > 1:
		w.text.WriteString("\n" + p.text)
	case p.text == "", p.left < w.last.left-p.size, p.left > w.last.right+2*p.size:
		w.text.WriteString(" " + p.text)
	default:
		w.text.WriteString(p.text)
	}
	w.last = p
}
