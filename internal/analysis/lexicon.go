package analysis

import (
	"embed"
	"strings"
	"unicode/utf8"
)

//go:embed lexicon
var lexiconFiles embed.FS

// lexicon is one file of phrases, in sections. A phrase is words of a text in any case and with or without accents; "*"
// in it stands for up to four words of the same sentence, and "~" at the end of a word for any ending.
type lexicon struct {
	byFirst map[string][]phrase
	stems   map[string][]phrase // by the first letters of a first word that ends in "~"
	short   map[string][]phrase // those of two letters
	whole   map[string]string   // the section of a phrase that is all of a text
}

type phrase struct {
	words   []string
	section string
}

// hit is a phrase found: the section it is in, and the tokens from first up to, not including, last.
type hit struct {
	section     string
	first, last int
	words       int
}

func newLexicon() *lexicon {
	return &lexicon{
		byFirst: map[string][]phrase{}, stems: map[string][]phrase{}, short: map[string][]phrase{}, whole: map[string]string{},
	}
}

// loadLexicon reads a file of "[section]" lines, each followed by phrases, one a line; "#" begins a comment. Phrases
// below "[one two]" belong to both sections. The order of the file decides between sections where only one can.
func loadLexicon(name string) *lexicon {
	x := newLexicon()
	for _, l := range loadLines(name) {
		for section := range strings.FieldsSeq(l.sections) {
			x.add(section, l.text)
		}
	}
	return x
}

// phraseWords returns the words of a line of a lexicon, folded.
func phraseWords(line string) []string {
	var words []string
	for part := range strings.FieldsSeq(line) {
		if part == "*" {
			words = append(words, part)
			continue
		}
		for _, t := range tokenize(part) {
			words = append(words, t.folded)
		}
		if strings.HasSuffix(part, stem) {
			words[len(words)-1] += stem
		}
	}
	return words
}

func (x *lexicon) add(section, line string) {
	words := phraseWords(line)
	if len(words) == 0 {
		return
	}
	p := phrase{words: words, section: section}
	if strings.HasSuffix(words[0], stem) {
		key := stemKey(words[0])
		if utf8.RuneCountInString(key) < stemLetters {
			x.short[key] = append(x.short[key], p)
			return
		}
		x.stems[key] = append(x.stems[key], p)
		return
	}
	x.byFirst[words[0]] = append(x.byFirst[words[0]], p)
	key := strings.Join(words, " ")
	if _, taken := x.whole[key]; !taken {
		x.whole[key] = section
	}
}

// stem marks a word that may have any ending.
const stem = "~"

// stemLetters is by how many of its first letters a stem is found.
const stemLetters = 3

// stemKey returns the first letters of a word.
func stemKey(word string) string { return firstLetters(strings.TrimSuffix(word, stem), stemLetters) }

func firstLetters(word string, most int) string {
	n := 0
	for i := range word {
		if n++; n > most {
			return word[:i]
		}
	}
	return word
}

// exact returns the section of the phrase that the whole text is, "" for none.
func (x *lexicon) exact(text string) string { return x.whole[wordKey(text)] }

// wordKey returns the words of a text, folded, with one space between.
func wordKey(text string) string {
	if isPlainWords(text) {
		return fold(text)
	}
	tokens := tokenize(text)
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = t.folded
	}
	return strings.Join(words, " ")
}

// isPlainWords reports whether a text is words of ASCII with one space between.
func isPlainWords(text string) bool {
	space := true
	for i := range len(text) {
		switch {
		case squeezed(text[i]) != 0:
			space = false
		case text[i] == ' ' && !space:
			space = true
		default:
			return false
		}
	}
	return !space
}

// find gives every phrase that the tokens hold, in the order of the text.
func (x *lexicon) find(tokens []token) []hit {
	var hits []hit
	for i := range tokens {
		hits = matches(hits, x.byFirst[tokens[i].folded], tokens, i)
		if len(x.stems) > 0 {
			hits = matches(hits, x.stems[stemKey(tokens[i].folded)], tokens, i)
		}
		if len(x.short) > 0 {
			hits = matches(hits, x.short[firstLetters(tokens[i].folded, stemLetters-1)], tokens, i)
		}
	}
	return hits
}

func matches(hits []hit, phrases []phrase, tokens []token, i int) []hit {
	for _, p := range phrases {
		if last := p.match(tokens, i); last > 0 {
			hits = append(hits, hit{section: p.section, first: i, last: last, words: len(p.words)})
		}
	}
	return hits
}

// sameWord compares a word of the text with one of a phrase.
func sameWord(word, pattern string) bool {
	if prefix, ok := strings.CutSuffix(pattern, stem); ok {
		return strings.HasPrefix(word, prefix)
	}
	return word == pattern
}

// match returns the index behind the phrase that begins at token i, or 0.
func (p phrase) match(tokens []token, i int) int {
	const widest = 4
	sentence := tokens[i].sentence
	at := i
	for n := 0; n < len(p.words); n++ {
		if p.words[n] != "*" {
			if at >= len(tokens) || tokens[at].sentence != sentence || !sameWord(tokens[at].folded, p.words[n]) {
				return 0
			}
			at++
			continue
		}
		rest := phrase{words: p.words[n+1:]}
		for skip := 0; skip <= widest && at+skip < len(tokens) && tokens[at+skip].sentence == sentence; skip++ {
			if !sameWord(tokens[at+skip].folded, rest.words[0]) {
				continue
			}
			if last := rest.match(tokens, at+skip); last > 0 {
				return last
			}
		}
		return 0
	}
	return at
}

// words adds every word of the phrases to a set, but for names.
func (x *lexicon) words(set map[string]bool) {
	for _, phrases := range x.byFirst {
		for _, p := range phrases {
			if p.section == "event_name" {
				continue
			}
			for _, w := range p.words {
				set[w] = true
			}
		}
	}
}

// has reports whether the text holds a phrase of the section.
func (x *lexicon) has(section, text string) bool {
	for _, h := range x.find(tokenize(text)) {
		if h.section == section {
			return true
		}
	}
	return false
}

// lexiconLine is one phrase of a file as it is written, with the names of its sections.
type lexiconLine struct{ sections, text string }

// loadLines returns the phrases of a file in their order.
func loadLines(name string) []lexiconLine {
	data, err := lexiconFiles.ReadFile("lexicon/" + name)
	if err != nil {
		return nil // cannot be: the file is part of the binary
	}
	var all []lexiconLine
	sections := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			sections = strings.Trim(line, "[] ")
		default:
			all = append(all, lexiconLine{sections, line})
		}
	}
	return all
}

// loadSection returns the phrases of one section of a file as they are written.
func loadSection(name, section string) []string {
	var lines []string
	for _, l := range loadLines(name) {
		if l.sections == section {
			lines = append(lines, l.text)
		}
	}
	return lines
}

// loadWords returns every single word of a file, folded.
func loadWords(name string) map[string]bool {
	var lines []string
	for _, l := range loadLines(name) {
		lines = append(lines, l.text)
	}
	return wordsOf(lines)
}

// wordsOf gives every single word of some lines, folded.
func wordsOf(lines []string) map[string]bool {
	words := map[string]bool{}
	for _, line := range lines {
		for w := range strings.FieldsSeq(line) {
			words[fold(w)] = true
		}
	}
	return words
}
