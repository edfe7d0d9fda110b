package model

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/clean"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/text"
)

// material is the text and the pages against which a model's answer is checked, and which it may quote. folded is all
// of it in lower case and without accents, and squeezed only its letters and digits.
type material struct {
	text, plain      foldedText          // as sent, and as parsed if that differs
	pages            []analysis.Document // in the order of the input
	folded, squeezed string              // of everything
	links            []string
	guard            text.Guard
	in               analysis.Input
}

func materialOf(in analysis.Input, g text.Guard) material {
	in.Text = g.WithoutInstructions(in.Text)
	plain := g.WithoutInstructions(readable(in.Text))
	var all strings.Builder
	all.WriteString(in.Text + "\n" + plain + "\n" + clean.JoinWrapped(clean.Clean(in.Text)))
	pages := make([]analysis.Document, len(in.Documents))
	for i, d := range in.Documents {
		pages[i] = d
		pages[i].Pages = make([]string, len(d.Pages))
		all.WriteString("\n" + d.Title + "\n" + d.FileName)
		for n, page := range d.Pages {
			pages[i].Pages[n] = g.WithoutInstructions(page)
			all.WriteString("\n" + pages[i].Pages[n])
		}
	}
	folded := lexicon.Fold(all.String())
	m := material{
		text: foldText(in.Text), pages: pages, folded: folded, squeezed: lexicon.Squeeze(folded), links: in.Links, guard: g,
		in: in,
	}
	if plain != in.Text {
		m.plain = foldText(plain)
	}
	return m
}

// holds reports whether the words are in the material. It compares only letters and digits, so the words may be part of
// longer ones. It reports false for words without letters and digits.
func (m material) holds(words string) bool {
	key := lexicon.Squeeze(words)
	return key != "" && strings.Contains(m.squeezed, key)
}

// spot is where a quote was found. In the text as sent, it has the characters from start up to, not including, end. On
// a page of a document, it has only the document's ID and the page, counted from 1. For a quote that is only in the
// decoded text it has neither.
type spot struct {
	quote      string
	start, end int
	document   string
	page       int
}

// find returns the spot of the words: on the page that the model named, else in the text as sent, else, with neither
// page nor offsets, in the decoded text. It returns false if they are in none of these, or have fewer than two letters
// or digits.
func (m material) find(words string, said modelBasis) (spot, bool) {
	words = strings.TrimSpace(strings.Trim(words, `"“”„«»`))
	if utf8.RuneCountInString(lexicon.Squeeze(words)) < 2 {
		return spot{}, false
	}
	for i, d := range m.pages {
		if short("d", i) != said.Document || said.Page < 1 || said.Page > len(d.Pages) {
			continue
		}
		page := d.Pages[said.Page-1]
		if start, end, found := foldText(page).find(words); found {
			return spot{quote: characters(page, start, end), document: d.ID, page: said.Page}, true
		}
	}
	if start, end, found := m.text.find(words); found {
		return spot{quote: characters(m.in.Text, start, end), start: start, end: end}, true
	}
	if _, _, found := m.plain.find(words); found {
		return spot{quote: oneLine(words, 400)}, true
	}
	return spot{}, false
}

// foldedText is a text in lower case with single spaces and plain quotes and dashes. It also has, for each of its
// bytes, the character of the original from which the byte comes.
type foldedText struct {
	text string
	from []int32
}

func foldText(original string) foldedText {
	var out strings.Builder
	out.Grow(len(original))
	from := make([]int32, 0, len(original))
	index, space := int32(0), true
	for _, r := range original {
		before := out.Len()
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			if !space {
				out.WriteByte(' ')
			}
			space = true
		case !unicode.Is(unicode.Cf, r):
			out.WriteRune(plainRune(r))
			space = false
		}
		for range out.Len() - before {
			from = append(from, index)
		}
		index++
	}
	return foldedText{text: out.String(), from: from}
}

// plainRune returns a character in lower case, and the plain form of typographic quotes and dashes.
func plainRune(r rune) rune {
	switch r {
	case '’', '‘', '‚', '`', '´':
		return '\''
	case '“', '”', '„', '«', '»':
		return '"'
	case '–', '—', '‑', '−':
		return '-'
	}
	return unicode.ToLower(r)
}

// find returns the characters of the original, from start up to, not including, end, that contain the words, and
// reports whether they were found. They must be whole words.
func (f foldedText) find(words string) (start, end int, found bool) {
	wanted := strings.TrimSpace(foldText(words).text)
	if wanted == "" {
		return 0, 0, false
	}
	for at := 0; at+len(wanted) <= len(f.text); {
		i := strings.Index(f.text[at:], wanted)
		if i < 0 {
			return 0, 0, false
		}
		i += at
		if f.isWhole(i, i+len(wanted)) {
			return int(f.from[i]), int(f.from[i+len(wanted)-1]) + 1, true
		}
		_, size := utf8.DecodeRuneInString(f.text[i:])
		at = i + size
	}
	return 0, 0, false
}

// isWhole reports whether neither end of f.text[from:to] is inside a word.
func (f foldedText) isWhole(from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(f.text[:from])
	first, _ := utf8.DecodeRuneInString(f.text[from:])
	last, _ := utf8.DecodeLastRuneInString(f.text[:to])
	behind, _ := utf8.DecodeRuneInString(f.text[to:])
	return !joins(before, first) && !joins(last, behind)
}

func joins(a, b rune) bool {
	return a != utf8.RuneError && b != utf8.RuneError && lexicon.IsWordRune(a) && lexicon.IsWordRune(b) &&
		!lexicon.IsUnspaced(a) && !lexicon.IsUnspaced(b)
}

func characters(text string, start, end int) string {
	return string([]rune(text)[start:end])
}

// literally returns s in one line, cut to most characters, or "" if that is not in the material. Case and accents may
// differ.
func (m material) literally(s string, most int) string {
	s = oneLine(s, most)
	if s == "" || !strings.Contains(m.folded, lexicon.Fold(s)) {
		return ""
	}
	return s
}

func (m material) number(s string) string {
	digits := strings.Map(onlyDigits, s)
	if len(digits) < 6 || !m.holds(digits) {
		return ""
	}
	return oneLine(s, 40)
}

func onlyDigits(r rune) rune {
	if unicode.IsDigit(r) {
		return r
	}
	return -1
}

func (m material) profile(link string) string {
	if slices.Contains(m.links, link) && links.LinkedInSlug(link) != "" {
		return link
	}
	return ""
}

// sentences returns s in one line, cut to most characters, without some of its sentences: those with a link, an address
// or a figure that is not in the material, those from our own prompt, and those with "<" or ">". They are removed
// whole, since a model that invents one word of a sentence invents the rest too.
func (m material) sentences(s string, most int) string {
	var kept []string
	for _, sentence := range strings.SplitAfter(oneLine(s, most), ". ") {
		if m.supports(sentence) && !isOfPrompt(sentence) && !strings.ContainsAny(sentence, "<>") {
			kept = append(kept, strings.TrimSpace(sentence))
		}
	}
	return strings.Join(kept, " ")
}

func (m material) supports(sentence string) bool {
	for word := range strings.FieldsSeq(sentence) {
		word = strings.Trim(word, ".,;:!?()[]\"'“”")
		if (strings.ContainsAny(word, "@0123456789") || strings.Contains(word, "://") || strings.Contains(word, "www.")) &&
			!strings.Contains(m.folded, lexicon.Fold(word)) && !m.holds(digitsOf(word)) {
			return false
		}
	}
	return true
}

// summarySentences returns what sentences returns, without the sentences whose longer words are mostly not in the
// material; it is for summaries.
func (m material) summarySentences(s string, most int) string {
	var kept []string
	for _, sentence := range strings.SplitAfter(m.sentences(s, most), ". ") {
		known, all := 0, 0
		for _, t := range lexicon.Tokenize(sentence) {
			if utf8.RuneCountInString(t.Folded) < 5 {
				continue
			}
			all++
			if strings.Contains(m.folded, t.Folded[:len(t.Folded)*4/5]) {
				known++
			}
		}
		if all == 0 || 2*known >= all {
			kept = append(kept, strings.TrimSpace(sentence))
		}
	}
	return strings.Join(kept, " ")
}

// isOfPrompt reports whether a sentence repeats seven words in a row of our own instructions.
func isOfPrompt(sentence string) bool {
	const stretch = 7
	words := strings.Fields(lexicon.WordKey(sentence))
	prompt := " " + lexicon.WordKey(promptRead) + " "
	for i := 0; i+stretch <= len(words); i++ {
		if strings.Contains(prompt, " "+strings.Join(words[i:i+stretch], " ")+" ") {
			return true
		}
	}
	return false
}

// digitsOf returns the digits of a word, such as "25" of "2.5M", since the material may write a figure in another way.
// It returns "" for a word with "@", "/" or "www.", such as an address or most links, which must be the same in the
// material.
func digitsOf(word string) string {
	if strings.ContainsAny(word, "@/") || strings.Contains(word, "www.") {
		return ""
	}
	return strings.Map(onlyDigits, word)
}

// oneLine returns s with each run of white space, control characters and U+FFFD replaced by one space, cut to most
// characters; a cut text ends with "…".
func oneLine(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
	return strings.TrimSpace(lexicon.Cut(strings.Join(strings.Fields(s), " "), most))
}
