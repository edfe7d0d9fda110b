package pdftext_test

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"strings"
)

// file builds a PDF object by object, with a cross-reference table that is right.
type file struct{ objects []string }

// add appends an object and returns its number.
func (f *file) add(body string) int {
	f.objects = append(f.objects, body)
	return len(f.objects)
}

// stream appends a stream; dict is what its dictionary holds beside the length.
func (f *file) stream(dict, data string) int {
	return f.add(fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data))
}

// set replaces the content of object n, so that an object may refer to one that is added later.
func (f *file) set(n int, body string) { f.objects[n-1] = body }

// bytes returns the file; trailer is what its trailer holds beside root and size.
func (f *file) bytes(root int, trailer string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	at := make([]int, len(f.objects))
	for i, body := range f.objects {
		at[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root %d 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, root, trailer, table)
	return b.Bytes()
}

const helvetica = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"

// pages makes a file of the given content streams, which can use the font F1.
func pages(font string, contents ...string) []byte {
	f := &file{}
	ref := f.add(font)
	return f.bytes(f.deck(fmt.Sprintf("<</Font<</F1 %d 0 R>>>>", ref), contents...), "")
}

// deck adds pages with these resources and contents, and returns the number of the catalog.
func (f *file) deck(resources string, contents ...string) int {
	tree := f.add("")
	kids := make([]string, len(contents))
	for i, content := range contents {
		stream := f.stream("", content)
		page := f.add(fmt.Sprintf("<</Type/Page/Parent %d 0 R/MediaBox[0 0 960 540]/Contents %d 0 R/Resources%s>>", tree,
			stream, resources))
		kids[i] = fmt.Sprintf("%d 0 R", page)
	}
	f.set(tree, fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", strings.Join(kids, " "), len(kids)))
	return f.add(fmt.Sprintf("<</Type/Catalog/Pages %d 0 R>>", tree))
}

// show returns a content stream that shows each line of text at a position of its own.
func show(lines ...string) string {
	var b strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&b, "BT /F1 18 Tf 50 %d Td (%s) Tj ET\n", 500-30*i, line)
	}
	return b.String()
}

// deflate packs text, as often as asked: packed once and then repeated, so that a bomb is quickly made. The checksum
// at its end is not right.
func deflate(text string, times int) string {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err = errors.Join(err, w.Flush()); err != nil {
		panic(err)
	}
	return "\x78\x01" + strings.Repeat(packed.String(), times) + "\x03\x00" + "\x00\x00\x00\x00"
}

// fmtForm is the dictionary of a form that may draw form number next.
func fmtForm(next int) string {
	return fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R>>>>", next)
}
