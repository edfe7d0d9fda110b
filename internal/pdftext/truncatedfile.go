package pdftext

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// objectReach is the number of bytes after an object's number in which the type of the object is looked for.
const objectReach = 4 << 10

// mend returns a copy, with a new end, of a file whose end is missing. The object in which the file ends is removed,
// unless it is a stream. The new end points at the catalog, or at a new catalog with the pages that are left if the
// file has none: PDFium finds the objects of a damaged file itself, but not the one with which to begin. ok is false if
// neither a catalog nor a page is left.
func mend(doc []byte) (mended []byte, ok bool) {
	doc = openEnd(doc)
	catalog, pages := landmarks(doc)
	if catalog == "" && len(pages) == 0 {
		return nil, false
	}
	end := new(bytes.Buffer)
	end.WriteString("\nendstream\nendobj\n")
	if catalog == "" {
		catalog = "9999999 0 R"
		fmt.Fprintf(end, "9999998 0 obj\n<</Type/Pages/Count %d/Kids[%s]>>\nendobj\n", len(pages), strings.Join(pages, " "))
		end.WriteString("9999999 0 obj\n<</Type/Catalog/Pages 9999998 0 R>>\nendobj\n")
	}
	fmt.Fprintf(end, "trailer\n<</Size 10000000/Root %s>>\nstartxref\n0\n%%%%EOF\n", catalog)
	return append(slices.Clip(doc), end.Bytes()...), true
}

// openEnd returns a file without the object in which it ends. If that is a stream, it returns the file unchanged, since
// the beginning of a stream can be read.
func openEnd(doc []byte) []byte {
	last := max(0, bytes.LastIndex(doc, []byte("endobj")))
	if bytes.Contains(doc[last:], []byte("stream")) {
		return doc
	}
	return doc[:last]
}

// landmarks returns the references of the last catalog and of all pages among the objects that are not inside of
// others. It looks for the type of an object in its first objectReach bytes.
func landmarks(doc []byte) (catalog string, pages []string) {
	object := regexp.MustCompile(`(?:^|[\r\n ])(\d{1,7} \d{1,5}) obj\b`)
	kind := regexp.MustCompile(`/Type\s*/(Catalog|Page)\b`)
	all := object.FindAllSubmatchIndex(doc, -1)
	for i, at := range all {
		end := min(len(doc), at[1]+objectReach)
		if i+1 < len(all) {
			end = min(end, all[i+1][0])
		}
		found := kind.FindSubmatch(doc[at[1]:end])
		if found == nil {
			continue
		}
		reference := string(doc[at[2]:at[3]]) + " R"
		if string(found[1]) == "Catalog" {
			catalog = reference
		} else {
			pages = append(pages, reference)
		}
	}
	return catalog, pages
}
