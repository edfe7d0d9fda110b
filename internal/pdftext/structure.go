package pdftext

import (
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"
)

// doubt returns the feature of the page that the first reader reads wrongly without a sign of it in the text: a form,
// whose text it leaves out, a font encoding that it reads as other letters, annotations, or a malformed object. It
// returns "" if there is none.
func (l leaf) doubt() (doubt string) {
	defer func() {
		if r := recover(); r != nil {
			doubt = fmt.Sprint("structure: ", r)
		}
	}()
	fonts := l.resources.Key("Font")
	for _, name := range fonts.Keys() {
		if doubt := fontDoubt(fonts.Key(name)); doubt != "" {
			return doubt
		}
	}
	objects := l.resources.Key("XObject")
	for _, name := range objects.Keys() {
		if mayHoldText(objects.Key(name)) {
			return "text in a form"
		}
	}
	if annotated(l.page.V.Key("Annots")) {
		return "annotations"
	}
	return ""
}

func fontDoubt(font pdf.Value) string {
	encoding := font.Key("Encoding")
	unicode := font.Key("ToUnicode").Kind() == pdf.Stream
	composite := font.Key("Subtype").Name() == "Type0"
	switch name := encoding.Name(); {
	case composite && name != "Identity-H" && name != "UniGB-UCS2-H":
		return "font encoding " + name
	case composite && name == "Identity-H" && !unicode:
		return "font without ToUnicode"
	case encoding.Kind() == pdf.Dict && (unicode || oddGlyphs(encoding.Key("Differences"))):
		return "font with its own encoding"
	case !composite && encoding.Kind() == pdf.Name && name != "WinAnsiEncoding" && name != "MacRomanEncoding":
		return "font encoding " + name
	}
	return ""
}

// oddGlyphs reports whether glyphs have names like g12 or uni0416 instead of those of the standard list.
func oddGlyphs(differences pdf.Value) bool {
	for i := range differences.Len() {
		if strings.ContainsAny(differences.Index(i).Name(), "0123456789._") {
			return true
		}
	}
	return false
}

// annotated reports whether one of the first maxAnnotations annotations is neither a link nor a pop-up, such as a note
// or a field of a form, which show text that is not in the page's content.
func annotated(annotations pdf.Value) bool {
	for i := range min(annotations.Len(), maxAnnotations) {
		if kind := annotations.Index(i).Key("Subtype").Name(); kind != "Link" && kind != "Popup" {
			return true
		}
	}
	return false
}

func mayHoldText(object pdf.Value) bool {
	if object.Key("Subtype").Name() != "Form" {
		return false
	}
	resources := object.Key("Resources")
	if resources.IsNull() || len(resources.Key("Font").Keys()) > 0 {
		return true
	}
	inner := resources.Key("XObject")
	for _, name := range inner.Keys() {
		if inner.Key(name).Key("Subtype").Name() == "Form" {
			return true
		}
	}
	return false
}

// gluesLines reports whether the text of a page continues in another line without an operator that the first reader
// treats as a line break: only T* and BT, the beginning of a text object, are.
func gluesLines(contents pdf.Value) bool {
	if contents.IsNull() {
		return false
	}
	var l lines
	pdf.Interpret(contents, func(stack *pdf.Stack, op string) {
		args := make([]pdf.Value, stack.Len())
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stack.Pop()
		}
		l.step(op, args)
	})
	return l.glued
}

// lines follows the vertical position of the text within a text object.
type lines struct {
	shown bool    // text was shown in this text object
	moved bool    // and the position left its line after that
	y     float64 // of the text matrix
	glued bool
}

func (l *lines) step(op string, args []pdf.Value) {
	switch op {
	case "BT":
		l.shown, l.moved, l.y = false, false, 0
	case "T*":
		l.moved = false
	case "Td", "TD":
		l.move(len(args) == 2 && args[1].Float64() != 0)
	case "Tm":
		if len(args) == 6 {
			l.move(args[5].Float64() != l.y)
			l.y = args[5].Float64()
		}
	case "'", "\"":
		l.move(true)
		l.show()
	case "Tj", "TJ":
		l.show()
	}
}

func (l *lines) move(vertically bool) { l.moved = l.moved || vertically && l.shown }

func (l *lines) show() {
	l.glued = l.glued || l.moved
	l.shown = true
}
