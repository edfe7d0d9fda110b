package deck

import (
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/evidence"
	"dealflow/internal/analysis/lexicon"
)

// shape has the counts by which a deck is distinguished from other documents. The higher the score, the more the
// document reads like a deck; why says for people what it is like.
type shape struct {
	pages  int
	words  int             // of the median page
	blank  int             // pages with fewer than three words
	slides map[string]bool // the headings of slides that it has, folded
	kinds  map[string]int  // for each other kind of document, the points for it
	score  int
	why    string
}

// PickDocument returns the index of the deck among several documents, and the reason in a sentence for people. The
// index is -1 if there are no documents, if none reads like a deck, or if the best two have the same score. The pages
// decide; names of files are only hints.
func (r *Chooser) PickDocument(docs []analysis.Document) (index int, reasoning string) {
	index, d := r.pickDocument(docs)
	return index, d.Reasoning
}

func (r *Chooser) pickDocument(docs []analysis.Document) (int, evidence.Decision) {
	if len(docs) == 0 {
		return -1, evidence.Decision{Reasoning: "There is no PDF to choose from."}
	}
	shapes := make([]shape, len(docs))
	best, second := -1, -1
	for i, d := range docs {
		shapes[i] = r.shapeOf(d)
		switch {
		case best < 0 || shapes[i].score > shapes[best].score:
			best, second = i, best
		case second < 0 || shapes[i].score > shapes[second].score:
			second = i
		}
	}
	d := evidence.Decision{Features: evidence.Features{"score": float64(min(shapes[best].score, 18)) / 9}}
	if second >= 0 {
		d.Features["margin"] = float64(min(shapes[best].score-shapes[second].score, 16)) / 8
	}
	const sure = 3
	switch {
	case shapes[best].score < sure:
		return -1, evidence.Decision{
			Reasoning: "None of the PDFs reads like a deck, so the first one is taken.", Features: evidence.Features{"none": 1},
		}
	case second >= 0 && shapes[second].score == shapes[best].score:
		return -1, evidence.Decision{
			Reasoning: "Several PDFs look alike as decks, so the first one is taken.", Features: evidence.Features{"tie": 1},
		}
	}
	d.Reasoning = fmt.Sprintf("“%s” reads like a deck: %s.", docs[best].FileName, shapes[best].why)
	return best, d
}

func (r *Chooser) shapeOf(d analysis.Document) shape {
	s := shape{pages: len(d.Pages), slides: map[string]bool{}, kinds: map[string]int{}}
	counts := make([]int, 0, len(d.Pages))
	for i, page := range d.Pages {
		n := wordCount(page)
		counts = append(counts, n)
		if n < 3 {
			s.blank++
		}
		r.readPage(&s, page, i)
	}
	sort.Ints(counts)
	if len(counts) > 0 {
		s.words = counts[len(counts)/2]
	}
	s.score = s.layoutScore(d) + s.contentScore() + r.nameScore(d)
	s.why = s.reason(d)
	return s
}

// wordCount returns the number of words of a page. In scripts without spaces, two characters count as one word.
func wordCount(page string) int {
	n, unspaced := 0, 0
	for f := range strings.FieldsSeq(page) {
		first, _ := utf8.DecodeRuneInString(f)
		if lexicon.IsUnspaced(first) {
			unspaced += utf8.RuneCountInString(f)
			continue
		}
		n++
	}
	return n + unspaced/2
}

// readPage records in s the slide headings of a page, and the words of other kinds of documents. It reads the first
// 6000 bytes of the page and the first 60 words of each line. number counts pages from 0.
func (r *Chooser) readPage(s *shape, page string, number int) {
	const mostRead, mostWords = 6000, 60
	lines := 0
	for line := range strings.Lines(page[:min(len(page), mostRead)]) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		lines++
		tokens := lexicon.Tokenize(line)
		tokens = tokens[:min(len(tokens), mostWords)]
		for _, h := range r.words.Documents.Find(tokens) {
			s.note(h, tokens, number, lines)
		}
	}
}

// note records in s a hit in a line of a page; line counts from 1, and page from 0. The heading of a slide counts if it
// is in one of the first four lines, and that line has at most three further words or begins in a script without
// spaces. A word of another kind of document counts once, but four times in one of the first six lines of the first
// page, if that line has at most four further words. Words for names of files are ignored.
func (s *shape) note(h lexicon.Hit, tokens []lexicon.Token, page, line int) {
	const headLines = 4
	switch h.Section {
	case "slide":
		if line <= headLines && (len(tokens) <= h.Words+3 || lexicon.IsUnspaced([]rune(tokens[0].Folded)[0])) {
			s.slides[tokens[h.First].Folded+tokens[h.Last-1].Folded] = true
		}
	case "deckname", "othername", "stale", "fresh", "cover":
	default:
		weight := 1
		if page == 0 && line <= 6 && len(tokens) <= h.Words+4 {
			weight = 4 // the heading of the whole document
		}
		s.kinds[h.Section] += weight
	}
}

// layoutScore returns the points, which may be negative, for the layout of a document: a deck has 6 to 60 wide pages
// with few words on each. It returns 0 for a document without pages.
func (s *shape) layoutScore(d analysis.Document) int {
	score := 0
	switch {
	case s.pages == 0:
		return 0
	case s.pages >= 6 && s.pages <= 60:
		score += 3
	case s.pages <= 3 || s.pages > 150:
		score -= 3
	}
	switch {
	case s.pages > 3 && s.blank*2 > s.pages:
		score++ // slides as pictures
	case s.words <= 120:
		score += 3
	case s.words <= 220:
		score++
	case s.words > 320:
		score -= 4
	}
	switch {
	case d.Width > 0 && d.Width > d.Height*1.15:
		score += 3
	case d.Width > 0 && d.Height > d.Width*1.15:
		score -= 3
	}
	return score
}

// contentScore returns the points, from -12 to 12, for slide headings, less those for words of another kind of
// document, of which only the kind with the most points counts.
func (s *shape) contentScore() int {
	score := min(len(s.slides), 6) * 2
	worst := 0
	for _, n := range s.kinds {
		worst = max(worst, n)
	}
	perPage := worst
	if s.pages > 4 {
		perPage = worst * 4 / s.pages
	}
	return score - min(perPage, 8) - min(worst/8, 4)
}

// nameScore returns points for the words of the file's name and title: above 0 for words of decks, below 0 for words of
// other or outdated documents, and at least -5. The words are only hints.
func (r *Chooser) nameScore(d analysis.Document) int {
	name := strings.NewReplacer("_", " ", "-", " ", ".", " ").
		Replace(strings.TrimSuffix(d.FileName, filepath.Ext(d.FileName)) + " / " + d.Title)
	score := 0
	for _, h := range r.words.Documents.Find(lexicon.Tokenize(lexicon.SplitCamel(name))) {
		switch h.Section {
		case "deckname":
			score = max(score, 3)
		case "othername":
			score -= 3
		case "stale":
			score -= 2
		case "fresh":
			score++
		}
	}
	return max(score, -5)
}

func (s *shape) reason(d analysis.Document) string {
	parts := []string{fmt.Sprintf("%d pages of about %d words", s.pages, s.words)}
	if n := len(s.slides); n > 0 {
		parts = append(parts, fmt.Sprintf("%d headings that decks have", n))
	}
	if d.Width > d.Height*1.15 {
		parts = append(parts, "wide pages")
	}
	return strings.Join(parts, ", ")
}
