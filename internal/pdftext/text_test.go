package pdftext_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"dealflow/internal/pdftext"
)

// filler is enough ordinary text for no reader to be in doubt.
const filler = "We help small hotels fill their empty rooms and keep their guests"

// The text of a page comes out in one clean form, whatever the file says.
func TestTextIsCleaned(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{})
	for name, tc := range map[string]struct{ shown, want, not string }{
		"ligatures are letters":           {"e\ufb03cient work\ufb02ow", "efficient workflow", "\ufb03"},
		"wide letters are plain ones":     {"ＡＲＲ ２０２５", "ARR 2025", "Ａ"},
		"no break spaces are spaces":      {"10\u00a0000\u202f€", "10 000 €", "\u00a0"},
		"soft hyphens are not there":      {"con\u00adfi\u00addential", "confidential", "\u00ad"},
		"marks of direction are gone":     {"\u200eseed\u202c round\u200f", "seed round", "\u200e"},
		"private characters are spaces":   {"\uf0b7 first point", "first point", "\uf0b7"},
		"control characters are gone":     {"se\u0001ed \u0007round", "seed round", "\u0001"},
		"the byte order mark is gone":     {"\ufeffseed", "seed", "\ufeff"},
		"radicals are the characters":     {"\u2f08\u2f2f", "人工", "\u2f08"},
		"emoji stay":                      {"growth 🚀 now", "growth 🚀 now", "\ufffd"},
		"TeX ligatures are letters":       {"o\u001ece and work\u001dow", "office and workflow", "\u001e"},
		"swapped ligatures are letters":   {"work昀氀ow tra昀케c con昀椀rmed", "workflow traffic confirmed", "昀"},
		"Chinese of that sort is Chinese": {"昀昀", "昀昀", "ff"},
		"many spaces are one":             {"seed      round", "seed round", "  "},
		"UTF-8 is not UTF-16":             {inUTF8("Масса и масштаб"), "Масса и масштаб", "킰"},
		"Korean beside it is Korean":      {"키토 키토 키토 키토 안", "키토 키토 키토 키토 안", "\u0424"},
		"marks beside figures in Hebrew":  {"00:ףגא", "אגף:00", "00:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := mustRead(t, p, unicodePage(filler, tc.shown))
			text := strings.Join(doc.Pages, "\n")
			if !strings.HasSuffix(text, "\n"+tc.want) || strings.Contains(text, tc.not) {
				t.Errorf("%s read %q, want %q at its end and no %q", doc.Reader, text, tc.want, tc.not)
			}
		})
	}
}

// If the first reader would be wrong without noticing, the second one reads.
func TestSecondReaderIsAskedWhereTheFirstIsWrong(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{})
	for name, tc := range map[string]struct {
		content   []byte
		reader    string
		want, not string
	}{
		"plain lines": {
			pages(helvetica, show(filler, "seed round")), pdftext.Ledongthuc, filler + "\nseed round", "",
		},
		"lines of one object": {
			pages(helvetica, "BT /F1 18 Tf 20 TL 50 500 Td ("+filler+") Tj 0 -20 Td (seed round) Tj ET"), pdftext.PDFium,
			filler + "\nseed round", "guestsseed",
		},
		"lines by the matrix": {
			pages(helvetica, "BT /F1 18 Tf 1 0 0 1 50 500 Tm ("+filler+") Tj 1 0 0 1 50 470 Tm (seed round) Tj ET"),
			pdftext.PDFium, filler + "\nseed round", "guestsseed",
		},
		"lines by quotes": {
			pages(helvetica, "BT /F1 18 Tf 20 TL 50 500 Td ("+filler+") ' (seed round) ' ET"), pdftext.PDFium,
			filler + "\nseed round", "guestsseed",
		},
		"lines by T*": {
			pages(helvetica, "BT /F1 18 Tf 20 TL 50 500 Td ("+filler+") Tj T* (seed round) Tj ET"), pdftext.Ledongthuc,
			filler + "\nseed round", "guestsseed",
		},
		"text in a form": {formPage("seed round"), pdftext.PDFium, "seed round", ""},
		"own glyph names": {
			pages("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[35/uni0042/uni0043]>>>>",
				show(filler, "#$")), pdftext.PDFium, "BC", "#",
		},
		"spaced out letters": {
			formPage("G) -500 (R) -500 (O) -500 (W) -500 (T) -500 (H) -1500 (N) -500 (O) -500 (W"), pdftext.PDFium,
			"GROWTH NOW", "G R",
		},
		"ligatures with gaps": {formPage("f) -500 (ff) -500 (fi) -500 (ffi"), pdftext.PDFium, "f ff fi ffi", "fff"},
		"narrow spaces": {
			formPage("seed) -130 (Round) -130 (of) -130 (Hotel) -130 (Rooms) -130 (in) -130 (Oslo"), pdftext.PDFium,
			"seed Round of Hotel Rooms in Oslo", "dR",
		},
		"narrow spaces between few words": {
			formPage("seed) -130 (round) -130 (of"), pdftext.PDFium, "seed round of", "seedround",
		},
		"narrow spaces in tracked text": {
			formPage(strings.Join(strings.Split("seedRound,ofHotels", ""), ") -130 (")), pdftext.PDFium,
			"seedRound,ofHotels", "s e",
		},
		"columns of letters": {
			formPage("A) -5000 (B) -5000 (C) -5000 (D) -5000 (E"), pdftext.PDFium, "A B C D E", "AB",
		},
		"letters far below each other": {
			pages(helvetica, "BT /F1 24 Tf 92 316 Td (A) Tj 0 -64 Td (B) Tj 0 -64 Td (C) Tj ET"), pdftext.PDFium, "A B C", "AB",
		},
		"joined words": {
			pages(helvetica, show(strings.Repeat("seedRound ", 9), filler)), pdftext.PDFium, "seedRound", "",
		},
		"no text but a scan": {pages(helvetica, show(filler), "0 0 9 9 re f"), pdftext.PDFium, filler, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := mustRead(t, p, tc.content)
			text := strings.Join(doc.Pages, "\n")
			if doc.Reader != tc.reader {
				t.Errorf("read by %s, want %s", doc.Reader, tc.reader)
			}
			if !strings.Contains(text, tc.want) || tc.not != "" && strings.Contains(text, tc.not) {
				t.Errorf("read %q, want %q and no %q", text, tc.want, tc.not)
			}
		})
	}
}

// Letters with an outline are drawn twice, by fonts whose glyphs differ in size.
func TestLettersDrawnTwice(t *testing.T) {
	t.Parallel()
	f := &file{}
	inner, outer := f.drawnFont("0 0 500 700"), f.drawnFont("-200 -200 900 1100")
	resources := fmt.Sprintf("<</Font<</F1 %d 0 R/F2 %d 0 R>>>>", outer, inner)
	shown := "BT /%s 18 Tf 50 400 Td (g) Tj 9 0 Td (u) Tj 9 0 Td (e) Tj 9 0 Td (s) Tj 9 0 Td (t) Tj ET\n"
	content := f.bytes(f.deck(resources, fmt.Sprintf(shown+shown, "F1", "F2")), "")
	if doc := mustRead(t, newPool(t, pdftext.Options{}), content); doc.Pages[0] != "guest" {
		t.Errorf("%s read %q, want %q", doc.Reader, doc.Pages[0], "guest")
	}
}

// drawnFont adds a font whose letters are boxes of these edges, in thousandths of its size.
func (f *file) drawnFont(box string) int {
	glyph := f.stream("", "500 0 "+box+" d1 "+box+" re f")
	var glyphs strings.Builder
	for _, letter := range "guest" {
		fmt.Fprintf(&glyphs, "/%c %d 0 R", letter, glyph)
	}
	return f.add(fmt.Sprintf("<</Type/Font/Subtype/Type3/FontMatrix[.001 0 0 .001 0 0]/FontBBox[%s]/CharProcs<<%s>>"+
		"/Encoding<</Differences[101/e 103/g 115/s/t/u]>>/FirstChar 101/LastChar 117/Widths[%s]/Resources<<>>>>",
		box, glyphs.String(), strings.Repeat("500 ", 17)))
}

// The second reader takes the two surrogates of a character in UTF-16 for two characters.
func TestCharactersOfTwoHalves(t *testing.T) {
	t.Parallel()
	doc := mustRead(t, newPool(t, pdftext.Options{}), unicodePage("seedRound 🚀 growth of \U0001D45D"))
	if want := "seedRound 🚀 growth of p"; doc.Reader != pdftext.PDFium || doc.Pages[0] != want {
		t.Errorf("%s read %q, want %q by PDFium", doc.Reader, doc.Pages[0], want)
	}
}

// Glyphs without a meaning keep the words around them apart, and are not ligatures.
func TestGlyphsWithoutAMeaning(t *testing.T) {
	t.Parallel()
	doc := mustRead(t, newPool(t, pdftext.Options{}), unicodePage("seed\x07\x1c\x07round\x07of\x07hotels\x07in\x07Oslo"))
	if want := "seed round of hotels in Oslo"; doc.Pages[0] != want {
		t.Errorf("%s read %q, want %q", doc.Reader, doc.Pages[0], want)
	}
}

// A glyph without a meaning between two words is the space.
func TestSpaceWithoutAMeaning(t *testing.T) {
	t.Parallel()
	doc := mustRead(t, newPool(t, pdftext.Options{}), unicodePage("seed\x00round"))
	if want := "seed round"; doc.Reader != pdftext.PDFium || doc.Pages[0] != want {
		t.Errorf("%s read %q, want %q by PDFium", doc.Reader, doc.Pages[0], want)
	}
}

// unicodePage shows lines of any text with a font that has a glyph for each UTF-16 unit.
func unicodePage(lines ...string) []byte {
	var content, table strings.Builder
	code := 0
	for i, line := range lines {
		var codes strings.Builder
		for _, r := range line {
			code++
			fmt.Fprintf(&codes, "%04X", code)
			fmt.Fprintf(&table, "1 beginbfchar <%04X> <%s> endbfchar\n", code, utf16Hex(r))
		}
		fmt.Fprintf(&content, "BT /F1 18 Tf 50 %d Td <%s> Tj ET\n", 500-30*i, codes.String())
	}
	f := &file{}
	unicode := f.stream("", "begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange\n"+table.String()+"endcmap")
	font := f.add(fmt.Sprintf("<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/ToUnicode %d 0 "+
		"R/DescendantFonts[<</Type/Font"+
		"/Subtype/CIDFontType2/BaseFont/X/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 600>>]>>",
		unicode))
	return f.bytes(f.deck(fmt.Sprintf("<</Font<</F1 %d 0 R>>>>", font), content.String()), "")
}

// inUTF8 returns a text as it comes out where its font has UTF-8 in place of UTF-16.
func inUTF8(text string) string {
	return strings.Map(func(r rune) rune {
		if bytes := []byte(string(r)); len(bytes) == 2 {
			return rune(bytes[0])<<8 | rune(bytes[1])
		}
		return r
	}, text)
}

func utf16Hex(r rune) string {
	var hex strings.Builder
	for _, unit := range utf16.Encode([]rune{r}) {
		fmt.Fprintf(&hex, "%04X", unit)
	}
	return hex.String()
}

// formPage shows the filler on the page and a line in a form within a form.
func formPage(inner string) []byte {
	f := &file{}
	font := f.add(helvetica)
	resources := fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 960 540]/Resources<</Font<</F1 %d 0 R>>", font)
	form := f.stream(resources+">>", "BT /F1 18 Tf 50 400 Td [("+inner+")] TJ ET")
	outer := f.stream(fmt.Sprintf("%s/XObject<</X %d 0 R>>>>", resources, form), "/X Do")
	return f.bytes(f.deck(fmt.Sprintf("<</Font<</F1 %d 0 R>>/XObject<</X %d 0 R>>>>", font, outer), show(filler)+"/X Do"),
		"")
}
