package pdftext_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dealflow/internal/pdftext"
)

const hello = "Hello from the deck of a hostile founder"

// hostileKinds makes files that loop, recurse, inflate or lie, beside those in testdata.
func hostileKinds() map[string]func() []byte {
	lines := func(before string) func() []byte {
		return func() []byte { return pages(helvetica, before+show(hello)) }
	}
	return map[string]func() []byte{
		"empty":                     func() []byte { return nil },
		"no pdf at all":             func() []byte { return []byte("PK\x03\x04 this is an archive") },
		"header only":               func() []byte { return []byte("%PDF-1.7\n") },
		"header and noise":          noise,
		"page tree without end":     func() []byte { return deepTree(20_000) },
		"kids that are one another": kidsCycle,
		"a billion pages":           func() []byte { return manyPages(3, 1_000_000_000) },
		"fifty thousand pages":      func() []byte { return manyPages(50_000, 50_000) },
		"arrays within arrays":      lines(strings.Repeat("[", 1_000_000)),
		"dictionaries within":       lines(strings.Repeat("<</A", 1_000_000)),
		"a million saved states":    lines(strings.Repeat("q ", 1_000_000)),
		"bomb of blanks": func() []byte {
			return packedPage("/FlateDecode", deflate(strings.Repeat(" ", 1<<20), 1000))
		},
		"bomb of text": func() []byte {
			return packedPage("/FlateDecode", deflate(show(strings.Repeat("word ", 2000)), 40_000))
		},
		"bomb in a bomb":           bombInBomb,
		"a huge cross-reference":   func() []byte { return crossReference(2_000_000_000) },
		"form that draws itself":   selfForm,
		"a billion forms":          func() []byte { return laughs(10, 10) },
		"font that draws itself":   selfFont,
		"font of too many names":   func() []byte { return pages(manyNames(), show(strings.Repeat(hello, 500))) },
		"cmap of too many ranges":  cmapBomb,
		"length of itself":         selfLength,
		"title without end":        longTitle,
		"root of itself":           pointerCycle,
		"a box of all numbers":     hugeBox,
		"an image of a terapixel":  hugeImage,
		"contents again and again": repeatedContents,
		"object streams in a ring": objectStreamRing,
		"encrypted by nonsense":    oddEncryption,
	}
}

func noise() []byte {
	return []byte("%PDF-1.7\n" + strings.Repeat("\x00\xff(<<[", 50_000) + "\nstartxref\n9\n%%EOF\n")
}

func bombInBomb() []byte {
	return packedPage("[/FlateDecode/FlateDecode]", deflate(deflate(strings.Repeat("\x00", 1<<20), 4000), 1))
}

func manyNames() string {
	return "<</Type/Font/Subtype/Type1/BaseFont/X/Encoding<</Differences[0" + strings.Repeat("/a", 300_000) + "]>>>>"
}

func deepTree(levels int) []byte {
	f := &file{}
	for i := range levels {
		f.add(fmt.Sprintf("<</Type/Pages/Count 1/Kids[%d 0 R]>>", i+2))
	}
	f.add("<</Type/Page/MediaBox[0 0 9 9]>>")
	return f.bytes(f.add("<</Type/Catalog/Pages 1 0 R>>"), "")
}

func kidsCycle() []byte {
	f := &file{}
	f.add("<</Type/Pages/Count 9/Kids[2 0 R 2 0 R 2 0 R]>>")
	f.add("<</Type/Pages/Count 9/Kids[1 0 R 1 0 R 1 0 R]>>")
	return f.bytes(f.add("<</Type/Catalog/Pages 1 0 R>>"), "")
}

func manyPages(there, told int) []byte {
	f := &file{}
	root := f.deck("<<>>", make([]string, there)...)
	f.set(1, strings.Replace(f.objects[0], fmt.Sprintf("/Count %d", there), fmt.Sprintf("/Count %d", told), 1))
	return f.bytes(root, "")
}

// packedPage returns a document with one page whose content is packed by the filter.
func packedPage(filter, data string) []byte {
	f := &file{}
	content := f.stream("/Filter"+filter, data)
	font := f.add(helvetica)
	tree := f.add("")
	page := f.add(
		fmt.Sprintf("<</Type/Page/Parent %d 0 R/MediaBox[0 0 960 540]/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>>>>>",
			tree, content, font),
	)
	f.set(tree, fmt.Sprintf("<</Type/Pages/Kids[%d 0 R]/Count 1>>", page))
	return f.bytes(f.add(fmt.Sprintf("<</Type/Catalog/Pages %d 0 R>>", tree)), "")
}

func crossReference(size int) []byte {
	table := fmt.Sprintf(
		"1 0 obj\n<</Type/XRef/Size %d/W[1 2 2]/Root 2 0 R/Index[0 %d]/Length 9>>\nstream\n123456789\nendstream\nendobj\n",
		size, size,
	)
	return fmt.Appendf(nil, "%%PDF-1.7\n%sstartxref\n9\n%%%%EOF\n", table)
}

func selfForm() []byte {
	f := &file{}
	f.add("<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 1 0 R>>>>/Length 12>>\nstream\n/X Do /X " +
		"Do \nendstream")
	return f.bytes(f.deck("<</XObject<</X 1 0 R>>>>", "/X Do"), "")
}

// laughs returns a document with a form that draws width forms, each of which draws width more, and so on, depth times.
func laughs(depth, width int) []byte {
	f := &file{}
	for i := range depth {
		f.stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R>>>>", i+2),
			strings.Repeat("/X Do ", width))
	}
	f.stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", "BT ET")
	return f.bytes(f.deck("<</XObject<</X 1 0 R>>>>", "/X Do"), "")
}

func selfFont() []byte {
	f := &file{}
	f.add("<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[1 0 0 1 0 0]/FirstChar 65/LastChar 65/Widths[9]" +
		"/Encoding<</Differences[65/A]>>/CharProcs<</A 2 0 R>>/Resources<</Font<</F1 1 0 R>>>>>>")
	f.stream("", "9 0 d0 BT /F1 9 Tf (AAAAAAAAAA) Tj ET")
	return f.bytes(f.deck("<</Font<</F1 1 0 R>>>>", show(strings.Repeat("A", 1000))), "")
}

func cmapBomb() []byte {
	ranges := strings.Repeat("<0000> <FFFF> <0041>\n", 100_000)
	f := &file{}
	f.stream("", "begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 100000 beginbfrange\n"+ranges+
		"endbfrange endcmap")
	f.add("<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/ToUnicode 1 0 " +
		"R/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/X>>]>>")
	return f.bytes(f.deck("<</Font<</F1 2 0 R>>>>", show(strings.Repeat("zz", 10_000))), "")
}

func selfLength() []byte {
	f := &file{}
	f.add("<</Length 1 0 R>>\nstream\n" + show(hello) + "\nendstream")
	root := f.deck("<<>>", "")
	f.set(3, strings.Replace(f.objects[2], "<<", "<</Filter 3 0 R", 1))
	return f.bytes(root, "/Info 1 0 R")
}

func longTitle() []byte {
	f := &file{}
	info := f.add("<</Title(" + strings.Repeat("Growth ", 300_000) + ")>>")
	font := f.add(helvetica)
	root := f.deck(fmt.Sprintf("<</Font<</F1 %d 0 R>>>>", font), show(hello, hello))
	return f.bytes(root, fmt.Sprintf("/Info %d 0 R", info))
}

func pointerCycle() []byte {
	f := &file{}
	f.add("2 0 R")
	f.add("1 0 R")
	return f.bytes(1, "/Info 2 0 R")
}

func hugeBox() []byte {
	return []byte(strings.ReplaceAll(string(pages(helvetica, show(hello, hello))), "[0 0 960 540]",
		"[-1e308 0 99999999999999999999 1e308]"))
}

func hugeImage() []byte {
	f := &file{}
	f.stream("/Type/XObject/Subtype/Image/Width 1000000/Height 1000000/ColorSpace/DeviceRGB/BitsPerComponent "+
		"8/Filter/FlateDecode", deflate("\x00", 1<<20))
	return f.bytes(f.deck("<</XObject<</X 1 0 R>>>>", "q 900 0 0 500 0 0 cm /X Do Q"), "")
}

func repeatedContents() []byte {
	f := &file{}
	f.stream("", show(hello))
	f.add(helvetica)
	f.add("<</Type/Page/MediaBox[0 0 960 540]/Resources<</Font<</F1 2 0 R>>>>/Contents[" + strings.Repeat("1 0 R ",
		300_000) + "]>>")
	f.add("<</Type/Pages/Kids[3 0 R]/Count 1>>")
	return f.bytes(f.add("<</Type/Catalog/Pages 4 0 R>>"), "")
}

func objectStreamRing() []byte {
	f := &file{}
	f.stream("/Type/ObjStm/N 1000000000/First 4/Extends 2 0 R", "9 0 <<>>")
	f.stream("/Type/ObjStm/N 1000000000/First 4/Extends 1 0 R", "9 0 <<>>")
	table := f.stream("/Type/XRef/Size 10/W[1 2 2]/Root 9 0 R/Index[1 2 9 1]",
		"\x01\x00\x09\x00\x00\x01\x00\x70\x00\x00\x02\x00\x01\x00\x00")
	whole := string(f.bytes(table, ""))
	body, _, _ := strings.Cut(whole, "xref\n0 ")
	return fmt.Appendf(nil, "%sstartxref\n%d\n%%%%EOF\n", body, strings.Index(body, "3 0 obj"))
}

func oddEncryption() []byte {
	f := &file{}
	f.add("<</Filter/Standard/V 4/R 4/Length 128/P -1/O(short)/U(short)/CF<</StdCF<</CFM/AESV2/Length " +
		"16>>>>/StmF/StdCF/StrF/StdCF>>")
	return f.bytes(f.deck("<<>>", show(hello)), "/Encrypt 1 0 R/ID[(a)(b)]")
}

// Children get little memory here. A file that fills the memory that they get by default is stopped in the same way,
// but later.
func TestHostileFilesCostOnlyThemselves(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{Timeout: 3 * time.Second, MemoryLimit: 150 << 20})
	kinds := hostileKinds()
	for _, name := range samples(t, "testdata/hostile/*.pdf") {
		kinds[filepath.Base(name)] = func() []byte { return testdata(t, strings.TrimPrefix(name, "testdata/")) }
	}
	good := testdata(t, "decks/chr-basic-12.pdf")
	// The pool measures processor time, and gives up after two minutes by the clock whatever else the machine does.
	const longest = 3 * time.Minute
	turns := make(chan struct{}, 2) // so that no time is spent waiting for a child
	for name, content := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turns <- struct{}{}
			defer func() { <-turns }()
			file := bytes.NewReader(content())
			begun := time.Now()
			doc, err := p.Read(t.Context(), file)
			if took := time.Since(begun); took > longest {
				t.Errorf("answered after %s", took)
			}
			if err != nil && !isTold(err) || doc.Problem != nil && !isTold(doc.Problem) {
				t.Errorf("error %v, problem %v: neither is one that a caller knows", err, doc.Problem)
			}
			if err == nil && len(doc.Pages) == 0 {
				t.Error("neither a page nor an error")
			}
			after := mustRead(t, p, good)
			if !strings.Contains(after.Pages[0], "Problem") || len(after.Pages) != 12 {
				t.Errorf("the next deck has %d pages, the first being %q", len(after.Pages), after.Pages[0])
			}
		})
	}
}

func TestHostileFilesStillGiveTheirText(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{Timeout: 10 * time.Second, MemoryLimit: 300 << 20})
	for name, want := range map[string]struct {
		content []byte
		text    string
		title   string
	}{
		"pages in a cycle":     {testdata(t, "hostile/h2-pages-cycle.pdf"), "Hello hostile deck", ""},
		"parent of itself":     {testdata(t, "hostile/h2b-parent-cycle.pdf"), "Hello hostile deck", ""},
		"length beyond all":    {testdata(t, "hostile/h3-huge-length.pdf"), "Hello hostile deck", ""},
		"table before itself":  {testdata(t, "hostile/h5-xref-prev-self.pdf"), "Hello hostile deck", ""},
		"a box of all numbers": {hugeBox(), hello + "\n" + hello, ""},
		"title without end":    {longTitle(), hello + "\n" + hello, strings.TrimSpace(strings.Repeat("Growth ", 143)[:1000])},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := mustRead(t, p, want.content)
			if text := strings.Join(doc.Pages, "\n"); text != want.text || doc.Title != want.title {
				t.Errorf("read %q with the title %q, want %q and %q", text, doc.Title, want.text, want.title)
			}
		})
	}
}

func isTold(err error) bool {
	return slices.ContainsFunc([]error{
		pdftext.ErrEncrypted, pdftext.ErrDamaged, pdftext.ErrTimeout, pdftext.ErrTooLarge, pdftext.ErrMemory,
		pdftext.ErrCrashed,
	}, func(known error) bool { return errors.Is(err, known) })
}

func samples(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no samples at %s, error %v", pattern, err)
	}
	return names
}
