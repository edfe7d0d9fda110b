package pdftext_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"dealflow/internal/pdftext"
)

// Fonts that the first reader takes for something else must not come out as other letters.
func TestFontsThatOnlyTheSecondReaderKnows(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{})
	for name, tc := range map[string]struct {
		font, shown string
		reader      string
		want, not   string
	}{
		"usual encoding": {helvetica, "(seed round)", pdftext.Ledongthuc, "seed round", ""},
		"no encoding": {
			"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", "(seed round)", pdftext.Ledongthuc, "seed round", "",
		},
		"Mac encoding": {encoded("/MacRomanEncoding"), "(caf\x8e)", pdftext.Ledongthuc, "café", "\x8e"},
		"standard encoding": {
			encoded("/StandardEncoding"), "(seed \xae round)", pdftext.PDFium, "seed fi round", "\ufffd",
		},
		"standard glyph names": {
			encoded("<</Differences[35/eacute/fi]>>"), "(caf# of$ce)", pdftext.Ledongthuc, "café offi", "#",
		},
		"glyphs by code point":    {encoded("<</Differences[35/uni0416/u0436]>>"), "(#$)", pdftext.PDFium, "Жж", "#"},
		"Japanese of Windows":     {japanese("90ms-RKSJ-H"), "<93FA967B>", pdftext.PDFium, "日本", "“ú"},
		"Japanese in UTF-16":      {japanese("UniJIS-UTF16-H"), "<65E5672C>", pdftext.PDFium, "日本", "eå"},
		"glyph numbers, no table": {japanese("Identity-H"), "<0ED20CA8>", pdftext.PDFium, "", "Ò"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := mustRead(t, p, twoFonts(tc.font, tc.shown))
			if text := strings.Join(doc.Pages, "\n"); doc.Reader != tc.reader || !strings.Contains(text, tc.want) ||
				tc.not != "" && strings.Contains(text, tc.not) {
				t.Errorf("%s read %q, want %s, %q and no %q", doc.Reader, text, tc.reader, tc.want, tc.not)
			}
		})
	}
}

func encoded(encoding string) string {
	return "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding" + encoding + ">>"
}

func japanese(encoding string) string {
	return "<</Type/Font/Subtype/Type0/BaseFont/HeiseiMin-W3/Encoding/" + encoding +
		"/DescendantFonts[<</Type/Font/Subtype/CIDFontType0" +
		"/BaseFont/HeiseiMin-W3/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>>>]>>"
}

// twoFonts returns a document whose page has the usual words in the usual font, and shown in another font.
func twoFonts(font, shown string) []byte {
	f := &file{}
	usual, other := f.add(helvetica), f.add(font)
	resources := fmt.Sprintf("<</Font<</F1 %d 0 R/F2 %d 0 R>>>>", usual, other)
	return f.bytes(f.deck(resources, show(filler, filler)+"BT /F2 18 Tf 50 300 Td "+shown+" Tj ET"), "")
}

// A document whose text, as the first reader reads it, does not look like words is read again by PDFium.
func TestTextThatLooksBadIsReadAgain(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{})
	for name, tc := range map[string]struct {
		lines  []string
		reader string
	}{
		"ordinary words":      {[]string{filler}, pdftext.Ledongthuc},
		"Cyrillic":            {[]string{"Проблема и решение для малого бизнеса"}, pdftext.Ledongthuc},
		"a name with a hump":  {[]string{filler, filler, filler, "by LinkedIn"}, pdftext.Ledongthuc},
		"few letters":         {[]string{"2025"}, pdftext.PDFium},
		"joined words":        {[]string{"seedRound marketSize isGrowing byTwo"}, pdftext.PDFium},
		"joined by a comma":   {[]string{"seed,round market,size is,growing by,two"}, pdftext.PDFium},
		"joined by a percent": {[]string{"growth of 5%a year and 7%b month"}, pdftext.PDFium},
		"very long words":     {[]string{"wehelpsmallhotelsfilltheiremptyrooms and keep their guests"}, pdftext.PDFium},
		"long words":          {[]string{"internationalization operationalization commercialization"}, pdftext.PDFium},
		"single letters":      {[]string{"w e h e l p s m a l l h o t e l s"}, pdftext.PDFium},
		"Hebrew":              {[]string{"בעיה ופתרון עבור עסקים קטנים"}, pdftext.PDFium},
		"Arabic":              {[]string{"المشكلة والحل للشركات الصغيرة"}, pdftext.PDFium},
		"Thai":                {[]string{"ปัญหาและทางออกสำหรับธุรกิจขนาดเล็ก"}, pdftext.PDFium},
		"Hindi":               {[]string{"छोटे व्यवसायों के लिए समस्या और समाधान"}, pdftext.PDFium},
		"private characters":  {[]string{"\ue001\ue002\ue003 " + filler}, pdftext.PDFium},
		"unknown characters":  {[]string{"\ufffd\ufffd\ufffd " + filler}, pdftext.PDFium},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if doc := mustRead(t, p, unicodePage(tc.lines...)); doc.Reader != tc.reader {
				t.Errorf("read by %s, want %s: %q", doc.Reader, tc.reader, doc.Pages)
			}
		})
	}
}

// Words of right-to-left scripts that a file has from left to right are read in reading order, and so are the letters
// of their ligatures.
func TestRightToLeftWordsAreInOrder(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{})
	for name, tc := range map[string]struct{ drawn, want, not string }{
		"drawn from left to right": {"םולש", "שלום", "םולש"},
		"with numbers":             {"2025 םולש", "שלום", "םולש"},
		"beside English":           {"seed םולש", "seed", "dees"},
		"with a ligature":          {"طوط\ufccbا", "الخطوط", "خل"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := mustRead(t, p, unicodePage(tc.drawn))
			if text := doc.Pages[0]; !strings.Contains(text, tc.want) || strings.Contains(text, tc.not) {
				t.Errorf("%s read %q, want %q and no %q", doc.Reader, text, tc.want, tc.not)
			}
		})
	}
}

// The page tree may be of any shape that the format allows.
func TestPagesAreFoundInAnyTree(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{})
	for name, tc := range map[string]struct {
		content []byte
		reader  string
		want    []string
	}{
		"resources of the tree":     {inherited(), pdftext.Ledongthuc, []string{filler, filler}},
		"a tree of trees":           {nested(), pdftext.Ledongthuc, []string{filler, filler}},
		"contents in several parts": {parts("\n"), pdftext.Ledongthuc, []string{filler + "\n" + filler}},
		"parts that touch":          {parts(""), pdftext.PDFium, []string{filler + "\n" + filler}},
		"without a content": {
			bytes.Replace(pages(helvetica, show(filler)), []byte("/Contents"), []byte("/Nontents"), 1), pdftext.PDFium,
			[]string{""},
		},
		"a header further down": {
			append([]byte("some mail header\r\n\r\n"), pages(helvetica, show(filler))...), pdftext.PDFium, []string{filler},
		},
		"something after its end": {
			append(pages(helvetica, show(filler)), strings.Repeat("\x00", 3000)...), pdftext.PDFium, []string{filler},
		},
		"a version of its own": {
			bytes.Replace(pages(helvetica, show(filler)), []byte("%PDF-1.7"), []byte("%PDF-2.0"), 1), pdftext.PDFium,
			[]string{filler},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := mustRead(t, p, tc.content)
			if doc.Reader != tc.reader || strings.Join(doc.Pages, "|") != strings.Join(tc.want, "|") {
				t.Errorf("%s read %q, want %s and %q", doc.Reader, doc.Pages, tc.reader, tc.want)
			}
		})
	}
}

// Pages that a file promises and does not have are not scans.
func TestMissingPagesAreTold(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{})
	content := bytes.Replace(pages(helvetica, show(filler)), []byte("/Count 1"), []byte("/Count 9"), 1)
	doc, err := p.Read(t.Context(), bytes.NewReader(content))
	if err != nil || !errors.Is(doc.Problem, pdftext.ErrDamaged) {
		t.Errorf("error %v, problem %v, want to be told of the damage", err, doc.Problem)
	}
	if len(doc.Pages) != 1 || doc.Pages[0] != filler || doc.PageCount != 9 || len(doc.Scans) > 0 {
		t.Errorf("%d pages, scans %v: %q", doc.PageCount, doc.Scans, doc.Pages)
	}
}

func inherited() []byte {
	f := &file{}
	f.add(helvetica)
	f.stream("", show(filler))
	f.add("<</Type/Page/Parent 5 0 R/Contents 2 0 R>>")
	f.add("<</Type/Page/Parent 5 0 R/Contents 2 0 R>>")
	f.add("<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 960 540]/Resources<</Font<</F1 1 0 R>>>>>>")
	return f.bytes(f.add("<</Type/Catalog/Pages 5 0 R>>"), "")
}

func nested() []byte {
	f := &file{}
	f.add(helvetica)
	f.stream("", show(filler))
	f.add("<</Type/Page/Parent 5 0 R/Contents 2 0 R>>")
	f.add("<</Type/Page/Parent 6 0 R/Contents 2 0 R>>")
	f.add("<</Type/Pages/Parent 7 0 R/Kids[3 0 R]/Count 1>>")
	f.add("<</Type/Pages/Parent 7 0 R/Kids[4 0 R]/Count 1>>")
	f.add("<</Type/Pages/Kids[5 0 R 6 0 R]/Count 2/MediaBox[0 0 960 540]/Resources<</Font<</F1 1 0 R>>>>>>")
	return f.bytes(f.add("<</Type/Catalog/Pages 7 0 R>>"), "")
}

// parts returns a document of one page with two content streams, both with the operators of end at their ends.
func parts(end string) []byte {
	f := &file{}
	f.add(helvetica)
	f.stream("", "BT /F1 18 Tf 50 500 Td ("+filler+") Tj ET"+end)
	f.stream("", "BT /F1 18 Tf 50 400 Td ("+filler+") Tj ET"+end)
	f.add("<</Type/Page/Parent 5 0 R/MediaBox[0 0 960 540]/Contents[2 0 R 3 0 R]/Resources<</Font<</F1 1 0 R>>>>>>")
	f.add("<</Type/Pages/Kids[4 0 R]/Count 1>>")
	return f.bytes(f.add("<</Type/Catalog/Pages 5 0 R>>"), "")
}

// The title comes out as one clean line, whoever reads the file.
func TestTitles(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{})
	for name, tc := range map[string]struct{ info, want string }{
		"plain":           {"<</Title(Acme seed deck)>>", "Acme seed deck"},
		"UTF-16":          {"<</Title<FEFF0041006300 6D006500200F01>>>", "Acme"},
		"several lines":   {"<</Title(Acme\\nseed   deck\\t)>>", "Acme seed deck"},
		"none":            {"<<>>", ""},
		"no text":         {"<</Title 42>>", ""},
		"control letters": {"<</Title(Ac\\001me)>>", "Acme"},
	} {
		for reader, line := range map[string]string{
			pdftext.Ledongthuc: filler, pdftext.PDFium: "seedRound marketSize " + filler,
		} {
			t.Run(name+" by "+reader, func(t *testing.T) {
				t.Parallel()
				f := &file{}
				info, font := f.add(tc.info), f.add(helvetica)
				content := f.bytes(f.deck(fmt.Sprintf("<</Font<</F1 %d 0 R>>>>", font), show(line)),
					fmt.Sprintf("/Info %d 0 R", info))
				doc := mustRead(t, p, content)
				if !strings.HasPrefix(doc.Title, tc.want) || tc.want == "" && doc.Title != "" || doc.Reader != reader {
					t.Errorf("%s read the title %q, want %q", doc.Reader, doc.Title, tc.want)
				}
				if strings.IndexFunc(doc.Title, isRubbish) >= 0 || strings.Contains(doc.Title, "\n") {
					t.Errorf("the title %q is no clean line", doc.Title)
				}
			})
		}
	}
}

// A file that breaks off without its catalog still has pages, and one without either is reported as damaged.
func TestBrokenOffFiles(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{})
	whole := string(pages(helvetica, show(filler), show("second "+filler)))
	for name, tc := range map[string]struct {
		content string
		want    []string
	}{
		"before the table":     {before(whole, "xref\n0"), []string{filler, "second " + filler}},
		"before the catalog":   {before(whole, "<</Type/Catalog"), []string{filler, "second " + filler}},
		"within the catalog":   {before(whole, "/Catalog"), []string{filler, "second " + filler}},
		"within the last page": {before(whole, "/MediaBox", "/MediaBox"), []string{filler}},
		"before any page":      {before(whole, "<</Type/Page"), nil},
		"after the header":     {before(whole, "1 0 obj"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, err := p.Read(t.Context(), strings.NewReader(tc.content))
			if tc.want == nil && !errors.Is(err, pdftext.ErrDamaged) ||
				tc.want != nil && !errors.Is(doc.Problem, pdftext.ErrDamaged) {
				t.Errorf("error %v, problem %v, want to be told of the damage", err, doc.Problem)
			}
			if strings.Join(doc.Pages, "|") != strings.Join(tc.want, "|") {
				t.Errorf("read %q, want %q", doc.Pages, tc.want)
			}
		})
	}
}

// before cuts text where the last of the marks begins, each looked for after the one before it.
func before(text string, marks ...string) string {
	at := 0
	for i, mark := range marks {
		if i > 0 {
			at++
		}
		at += strings.Index(text[at:], mark)
	}
	return text[:at]
}
