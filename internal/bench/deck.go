package main

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"math/rand/v2"
	"strings"
)

// deckPDF returns a PDF with this number of pages, each with a heading and twelve lines of random words in a compressed
// stream.
func deckPDF(random *rand.Rand, pages int) []byte {
	objects := make([]string, 3+2*pages) // catalogue, pages, font, then page and content by turns
	objects[0], objects[2] = "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
	var kids strings.Builder
	for n := range pages {
		page := 4 + 2*n
		fmt.Fprintf(&kids, "%d 0 R ", page)
		objects[page-1] = fmt.Sprintf(
			"<</Type/Page/Parent 2 0 R/MediaBox[0 0 960 540]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>",
			page+1,
		)
		objects[page] = stream(slide(random, n))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", pages, kids.String())
	var file bytes.Buffer
	file.WriteString("%PDF-1.5\n")
	offsets := make([]int, len(objects))
	for n, object := range objects {
		offsets[n] = file.Len()
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", n+1, object)
	}
	table := file.Len()
	fmt.Fprintf(&file, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&file, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&file, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	return file.Bytes()
}

func slide(random *rand.Rand, n int) string {
	var text strings.Builder
	fmt.Fprintf(
		&text,
		"BT /F1 36 Tf 60 460 Td (%s) Tj ET\n",
		[]string{"Brackenfield", "Problem", "Solution", "Market", "Product", "Traction", "Team", "The ask"}[n%8],
	)
	for line := range 12 {
		fmt.Fprintf(
			&text,
			"BT /F1 16 Tf 60 %d Td (%s) Tj ET\n",
			400-line*28,
			speech(random, 9),
		)
	}
	return text.String()
}

func stream(content string) string {
	var packed bytes.Buffer
	writer := zlib.NewWriter(&packed)
	_, _ = writer.Write([]byte(content)) // a buffer takes everything
	_ = writer.Close()
	return fmt.Sprintf("<</Length %d/Filter/FlateDecode>>\nstream\n%s\nendstream", packed.Len(), packed.String())
}
