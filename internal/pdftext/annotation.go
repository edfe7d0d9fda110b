package pdftext

import (
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
)

// maxAnnotations is how many annotations of a page are read.
const maxAnnotations = 2000

// Flags of an annotation that is not displayed.
const (
	flagHidden = 1 << 1
	flagNoView = 1 << 5
)

// drawn makes annotations and form fields, as they are displayed, a part of the page. It returns the page to read,
// which the caller must close in place of the given one, and the texts of notes and fields, some of which the page may
// contain as well. A page that has no annotations, or only links and pop-ups, is returned unchanged. After an error,
// neither page may be used.
func (p *pdfiumReader) drawn(
	doc references.FPDF_DOCUMENT, i int, page references.FPDF_PAGE,
) (references.FPDF_PAGE, []string, error) {
	whole := requests.Page{ByReference: &page}
	notes, found, err := p.notes(whole)
	if err != nil || !found {
		return page, nil, err
	}
	flat, err := p.now.FPDFPage_Flatten(&requests.FPDFPage_Flatten{
		Page: whole, Usage: requests.FPDFPage_FlattenUsageNormalDisplay,
	})
	if broken(err) {
		return page, nil, err
	}
	if err != nil || flat.Result != responses.FPDFPage_FlattenResultSuccess {
		return page, notes, nil //nolint:nilerr // the page itself can be read
	}
	if _, err := p.now.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: page}); err != nil {
		return page, nil, err
	}
	again, err := p.now.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: doc, Index: i})
	if err != nil {
		return page, nil, err
	}
	return again.Page, notes, nil
}

// notes returns the texts of the first maxAnnotations annotations of a page. found reports whether any of them is
// neither a link nor a pop-up.
func (p *pdfiumReader) notes(page requests.Page) (notes []string, found bool, err error) {
	count, err := p.now.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: page})
	if err != nil {
		return nil, false, err
	}
	for i := range min(count.Count, maxAnnotations) {
		annotation, err := p.now.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: page, Index: i})
		if broken(err) {
			return nil, false, err
		}
		if err != nil {
			continue // it is no annotation
		}
		kind, note := p.note(annotation.Annotation)
		found = found || kind != enums.FPDF_ANNOT_SUBTYPE_LINK && kind != enums.FPDF_ANNOT_SUBTYPE_POPUP
		if note != "" {
			notes = append(notes, note)
		}
		if _, err := p.now.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{
			Annotation: annotation.Annotation,
		}); broken(err) {
			return nil, false, err
		}
	}
	return notes, found, nil
}

// note returns the kind of an annotation and its text: the value of a text or choice field of a form, or the text of a
// note. The text is "" for a link, a pop-up, another field, and an annotation that is hidden.
func (p *pdfiumReader) note(annotation references.FPDF_ANNOTATION) (kind enums.FPDF_ANNOTATION_SUBTYPE, text string) {
	subtype, err := p.now.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: annotation})
	if err != nil {
		return enums.FPDF_ANNOT_SUBTYPE_UNKNOWN, ""
	}
	flags, err := p.now.FPDFAnnot_GetFlags(&requests.FPDFAnnot_GetFlags{Annotation: annotation})
	if err != nil || int(flags.Flags)&(flagHidden|flagNoView) != 0 {
		return subtype.Subtype, ""
	}
	value := func(key string) string {
		found, err := p.now.FPDFAnnot_GetStringValue(&requests.FPDFAnnot_GetStringValue{Annotation: annotation, Key: key})
		if err != nil {
			return ""
		}
		return strings.TrimSpace(found.Value)
	}
	switch subtype.Subtype { //nolint:exhaustive // the others hold text
	case enums.FPDF_ANNOT_SUBTYPE_LINK, enums.FPDF_ANNOT_SUBTYPE_POPUP:
	case enums.FPDF_ANNOT_SUBTYPE_WIDGET:
		if field := value("FT"); field == "Tx" || field == "Ch" {
			text = value("V")
		}
	default:
		text = value("Contents")
	}
	return subtype.Subtype, text
}

// withNotes returns the text of a page, followed by those notes that the text does not contain, each on a separate
// line.
func withNotes(text string, notes []string) string {
	shown := strings.Join(strings.Fields(text), " ")
	for _, note := range notes {
		if plain := strings.Join(strings.Fields(note), " "); !strings.Contains(shown, plain) {
			text += "\n" + note
			shown += " " + plain
		}
	}
	return text
}
