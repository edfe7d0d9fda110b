package pdftext_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"dealflow/internal/pdftext"
)

// leastRecall is the share of the true words that must be found, in each deck and on average.
const leastRecall = 0.95

func TestDecksGiveTheirWords(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{})
	var sum float64
	names := decks(t)
	for _, name := range names {
		doc := mustRead(t, p, testdata(t, name+".pdf"))
		text := strings.Join(doc.Pages, "\n")
		found, missing := recall(string(testdata(t, name+".txt")), text)
		sum += found
		t.Logf("%-28s %.3f by %s", name, found, doc.Reader)
		if found < leastRecall {
			t.Errorf("%s: %.3f of the words, without %q", name, found, missing[:min(len(missing), 10)])
		}
		if rubbish := strings.IndexFunc(text, isRubbish); rubbish >= 0 {
			t.Errorf("%s: %q is no text", name, text[rubbish:min(len(text), rubbish+20)])
		}
		if len(doc.Pages) != doc.PageCount || doc.Cut || len(doc.Scans) > 0 {
			t.Errorf("%s: %d of %d pages, cut %t, scans %v", name, len(doc.Pages), doc.PageCount, doc.Cut, doc.Scans)
		}
	}
	if mean := sum / float64(len(names)); mean < leastRecall {
		t.Errorf("mean recall of %d decks is %.3f, want %.2f", len(names), mean, leastRecall)
	}
}

func TestDecksGoToTheRightReader(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{})
	for name, want := range map[string]struct {
		reader string
		pages  int
		title  string
	}{
		"decks/chr-basic-12":    {pdftext.Ledongthuc, 12, "chr-basic-12.html"},
		"decks/chr-120":         {pdftext.Ledongthuc, 120, "chr-120.html"},
		"decks/chr-tracking-15": {pdftext.Ledongthuc, 15, "chr-tracking-15.html"},
		"decks/lo-basic-12":     {pdftext.Ledongthuc, 12, "PptxGenJS Presentation"},
		"decks/lo-ru-10":        {pdftext.Ledongthuc, 10, "PptxGenJS Presentation"},
		"decks/rl-helv-12":      {pdftext.Ledongthuc, 12, "untitled"},
		"decks/cairo-basic-12":  {pdftext.PDFium, 12, ""},
		"decks/chr-zh-14":       {pdftext.PDFium, 14, "chr-zh-14.html"},
		"decks/chr-ar-10":       {pdftext.PDFium, 10, "chr-ar-10.html"},
		"decks/qpdf-aes256-12":  {pdftext.PDFium, 12, "PptxGenJS Presentation"},
		"decks/rl-perchar-10":   {pdftext.PDFium, 10, "untitled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := mustRead(t, p, testdata(t, name+".pdf"))
			if doc.Reader != want.reader || doc.PageCount != want.pages || doc.Title != want.title {
				t.Errorf("%s read %d pages of %q, want %s, %d and %q", doc.Reader, doc.PageCount, doc.Title, want.reader,
					want.pages, want.title)
			}
		})
	}
}

func TestScansAreTold(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{})
	doc := mustRead(t, p, testdata(t, "decks/scan-8.pdf"))
	if want := []int{1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(doc.Scans, want) {
		t.Errorf("pages %v are scans, want %v", doc.Scans, want)
	}
	if text := strings.Join(doc.Pages, ""); text != "" || len(doc.Pages) != 8 {
		t.Errorf("%d pages with the text %q, want 8 and none", len(doc.Pages), text)
	}
}

func TestUnreadableDecksSayWhy(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{})
	for name, want := range map[string]struct {
		err  error
		says string
	}{
		"qpdf-needpw-12": {pdftext.ErrEncrypted, "protected by a password"},
		"truncated-30":   {pdftext.ErrDamaged, "export it again"},
	} {
		doc, err := p.Read(t.Context(), bytes.NewReader(testdata(t, "decks/"+name+".pdf")))
		if !errors.Is(err, want.err) || !strings.Contains(err.Error(), want.says) {
			t.Errorf("%s: error %v, want %v", name, err, want.err)
		}
		if len(doc.Pages) > 0 {
			t.Errorf("%s: there are %d pages beside the error", name, len(doc.Pages))
		}
	}
}

// Of a file that breaks off, the pages before the break are read, and the break is reported.
func TestTruncatedDecksGiveWhatIsLeft(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{})
	for name, want := range map[string]struct{ kept, recall float64 }{
		"decks/lo-basic-12":   {0.95, 0.95},
		"decks/lo-4x3-9":      {0.95, 0.95},
		"decks/chr-basic-12":  {0.95, 0.95},
		"decks/chr-zh-14":     {0.70, 0.60},
		"decks/rl-helv-12":    {0.80, 0.60},
		"decks/rl-perchar-10": {0.50, 0.40},
		"scripts/gs-lo-8":     {0.50, 0.90},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := testdata(t, name+".pdf")
			doc, err := p.Read(t.Context(), bytes.NewReader(whole[:int(want.kept*float64(len(whole)))]))
			if err != nil || !errors.Is(doc.Problem, pdftext.ErrDamaged) {
				t.Fatalf("error %v, problem %v, want none and the damage", err, doc.Problem)
			}
			if found, _ := recall(string(testdata(t, name+".txt")), strings.Join(doc.Pages, "\n")); found < want.recall {
				t.Errorf("%.2f of the words, want %.2f", found, want.recall)
			}
		})
	}
}

// decks names the samples of which the true text is known.
func decks(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*/*.txt")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d decks with a text, error %v", len(paths), err)
	}
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(path), "testdata/"), ".txt")
	}
	return names
}

// recall returns the share of the words of truth that text has, where a repeated word counts each time, and the words
// that text has less often than truth.
func recall(truth, text string) (share float64, missing []string) {
	want, got := count(truth), count(text)
	total, found := 0, 0
	for word, times := range want {
		total += times
		found += min(times, got[word])
		if got[word] < times {
			missing = append(missing, word)
		}
	}
	return float64(found) / float64(total), missing
}

// count counts words in lower case; a Chinese or Japanese character is a word.
func count(text string) map[string]int {
	words := map[string]int{}
	var spaced strings.Builder
	for _, r := range norm.NFKC.String(text) {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			spaced.WriteString(" " + string(r) + " ")
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			spaced.WriteRune(unicode.ToLower(r))
		default:
			spaced.WriteByte(' ')
		}
	}
	for word := range strings.FieldsSeq(spaced.String()) {
		words[word]++
	}
	return words
}

func isRubbish(r rune) bool {
	return r == unicode.ReplacementChar || unicode.Is(unicode.Co, r) || unicode.IsControl(r) && r != '\n'
}

// TestSizeOfTheFirstPage: slides are wide whichever reader reads them; a rotated page is measured as it is shown, and
// what a page inherits counts.
func TestSizeOfTheFirstPage(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{})
	for _, name := range decks(t) {
		doc := mustRead(t, p, testdata(t, name+".pdf"))
		if doc.Width <= doc.Height || doc.Height <= 0 {
			t.Errorf("%s by %s: %.0f x %.0f points is no slide", name, doc.Reader, doc.Width, doc.Height)
		}
	}
	for name, tt := range map[string]struct {
		boxes         string
		width, height float64
	}{
		"plain":     {"/MediaBox[0 0 595 842]", 595, 842},
		"rotated":   {"/MediaBox[0 0 595 842]/Rotate 90", 842, 595},
		"upside":    {"/MediaBox[0 0 595 842]/Rotate 180", 595, 842},
		"cropped":   {"/MediaBox[0 0 595 842]/CropBox[10 10 500 290]", 490, 280},
		"backwards": {"/MediaBox[595 842 0 0]", 595, 842},
		"none":      {"", 0, 0},
	} {
		doc := mustRead(t, p, paged(tt.boxes))
		none := tt.width == 0 && doc.Reader == pdftext.PDFium // which then takes a letter's size
		if !none && (doc.Width != tt.width || doc.Height != tt.height) {
			t.Errorf("%s by %s: %.0f x %.0f points, want %.0f x %.0f", name, doc.Reader, doc.Width, doc.Height, tt.width,
				tt.height)
		}
	}
}

// paged returns a document of one page with enough words for the first reader. The page inherits its boxes, entries of
// a PDF dictionary, from the tree of pages.
func paged(boxes string) []byte {
	f := &file{}
	font := f.add(helvetica)
	tree := f.add("")
	stream := f.stream("", show(slices.Repeat([]string{"Harbours plan their dredging with sonar"}, 5)...))
	page := f.add(fmt.Sprintf("<</Type/Page/Parent %d 0 R/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>>>>>", tree,
		stream, font))
	f.set(tree, fmt.Sprintf("<</Type/Pages/Kids[%d 0 R]/Count 1%s>>", page, boxes))
	return f.bytes(f.add(fmt.Sprintf("<</Type/Catalog/Pages %d 0 R>>", tree)), "")
}
