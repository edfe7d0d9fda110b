package lexicon

import (
	"embed"
	"fmt"
	"math/bits"
	"strings"
	"unicode/utf8"
)

//go:embed *.txt *.lst *.yaml *.json *.bin
var files embed.FS

// Phrases has the phrases of one file, in sections. A phrase matches words of a text in any case, with or without
// accents, if all of them are in one sentence. In a phrase, "*" matches up to four words or none, and "~" at the end of
// a word matches any ending. "*" must not be the last word of a phrase.
type Phrases struct {
	ByFirst map[string][]phrase // by the first word, if that has no "~"
	Whole   map[string]string   // the section of each phrase of ByFirst, by its words with a space between

	// stems are the phrases whose first word ends in "~", by the first letters of that word: three, or two or one if the
	// stem has no more. The index is the number of letters; the map at 0 is nil.
	stems [stemLetters + 1]map[string][]phrase

	// known has a bit for each key of ByFirst and of stems; see beginnings.
	known [1024]uint64
}

type phrase struct {
	words   []string
	Section string
}

// Hit is a phrase found: the section it is in, and the indexes of its tokens, from First up to, not including, Last.
type Hit struct {
	Section     string
	First, Last int
	Words       int // how many words the phrase has, each "*" included
}

func newPhrases() *Phrases {
	x := &Phrases{ByFirst: map[string][]phrase{}, Whole: map[string]string{}}
	for n := 1; n < len(x.stems); n++ {
		x.stems[n] = map[string][]phrase{}
	}
	return x
}

// LoadPhrases reads an embedded file of "[section]" lines, each followed by phrases, one on each line. Lines that begin
// with "#" are comments. Phrases below "[one two]" belong to both sections. Whole maps a phrase to the first section of
// the file that contains it. A name that is not an embedded file results in no phrases.
func LoadPhrases(name string) *Phrases {
	x := newPhrases()
	for _, l := range Lines(name) {
		for section := range strings.FieldsSeq(l.Sections) {
			x.add(section, l.Text)
		}
	}
	return x
}

// phraseWords returns the words of a line of a lexicon, folded. It keeps "*", and the Stem at the end of a word.
func phraseWords(line string) []string {
	var words []string
	for part := range strings.FieldsSeq(line) {
		if part == "*" {
			words = append(words, part)
			continue
		}
		for _, t := range Tokenize(part) {
			words = append(words, t.Folded)
		}
		if strings.HasSuffix(part, Stem) {
			words[len(words)-1] += Stem
		}
	}
	return words
}

// add adds the phrase of a line. It panics if the phrase ends in "*".
func (x *Phrases) add(section, line string) {
	words := phraseWords(line)
	if len(words) == 0 {
		return
	}
	if words[len(words)-1] == "*" { // Match would compare the word behind it
		panic(fmt.Sprintf("lexicon: the phrase %q of [%s] ends in *, which must be between words", line, section))
	}
	p := phrase{words: words, Section: section}
	if stem, isStem := strings.CutSuffix(words[0], Stem); isStem {
		n := min(utf8.RuneCountInString(stem), stemLetters)
		key := stem[:lettersEnd(stem, n)]
		x.stems[n][key] = append(x.stems[n][key], p)
		x.set(hash(key), n)
		return
	}
	x.ByFirst[words[0]] = append(x.ByFirst[words[0]], p)
	x.set(hash(words[0]), 0)
	key := strings.Join(words, " ")
	if _, taken := x.Whole[key]; !taken {
		x.Whole[key] = section
	}
}

// Stem at the end of a word of a phrase marks that the word may have any ending.
const Stem = "~"

// stemLetters is the number of first letters by which a stem is looked up. Shorter ones are looked up whole.
const stemLetters = 3

// lettersEnd returns the byte after the first n letters of a word.
func lettersEnd(word string, n int) int {
	for i := range word {
		if n--; n < 0 {
			return i
		}
	}
	return len(word)
}

// bit returns the index in known of the bit for a key with this hash, of stems with that many letters, or of ByFirst
// for 0.
func (x *Phrases) bit(hash uint64, letters int) uint64 {
	const spread = 11400714819323198485                                                  // by the golden ratio
	return (hash + uint64(letters)) * spread >> (64 - bits.Len(uint(len(x.known)*64-1))) //nolint:gosec // at most 3
}

func (x *Phrases) set(hash uint64, letters int) {
	bit := x.bit(hash, letters)
	x.known[bit/64] |= 1 << (bit % 64)
}

func (x *Phrases) mayHave(hash uint64, letters int) bool {
	bit := x.bit(hash, letters)
	return x.known[bit/64]>>(bit%64)&1 == 1
}

// beginnings returns the byte after the first one, two and three letters of a word, at their number, where a phrase may
// begin with a stem of these letters, and 0 where none does; and whether a phrase may begin with the word itself. Most
// words begin no phrase, and to find that out by bits is much faster than by maps.
func (x *Phrases) beginnings(word string) (stems [stemLetters + 1]int, whole bool) {
	h, letters := uint64(hashOffset), 0
	for i := range len(word) {
		if i > 0 && letters < stemLetters && utf8.RuneStart(word[i]) {
			letters++
			if x.mayHave(h, letters) {
				stems[letters] = i
			}
		}
		h = (h ^ uint64(word[i])) * hashPrime
	}
	if letters++; letters <= stemLetters && x.mayHave(h, letters) {
		stems[letters] = len(word)
	}
	return stems, x.mayHave(h, 0)
}

// Exact returns the section of the phrase that is the same as the whole text, "" if there is none. Phrases that begin
// with a word with "~" are not compared.
func (x *Phrases) Exact(text string) string { return x.Whole[WordKey(text)] }

// WordKey returns the words of a text, folded, with one space between.
func WordKey(text string) string {
	if isPlainWords(text) {
		return Fold(text)
	}
	return strings.Join(FoldedWords(text), " ")
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

// Find returns the phrases that are in the tokens, in the order of their first tokens, nil for none. Phrases may
// overlap; of one phrase that begins at a token, it returns one hit for each section of the phrase.
func (x *Phrases) Find(tokens []Token) []Hit {
	var hits []Hit
	for i := range tokens {
		word := tokens[i].Folded
		stems, whole := x.beginnings(word)
		if whole {
			hits = matches(hits, x.ByFirst[word], tokens, i)
		}
		for n := stemLetters; n > 0; n-- {
			if stems[n] > 0 {
				hits = matches(hits, x.stems[n][word[:stems[n]]], tokens, i)
			}
		}
	}
	return hits
}

func matches(hits []Hit, phrases []phrase, tokens []Token, i int) []Hit {
	for _, p := range phrases {
		if last := p.Match(tokens, i); last > 0 {
			hits = append(hits, Hit{Section: p.Section, First: i, Last: last, Words: len(p.words)})
		}
	}
	return hits
}

// sameWord reports whether a word of a text matches a word of a phrase, which may end with Stem.
func sameWord(word, pattern string) bool {
	if prefix, ok := strings.CutSuffix(pattern, Stem); ok {
		return strings.HasPrefix(word, prefix)
	}
	return word == pattern
}

// Match returns the index of the token after the phrase, if it begins at token i, which must exist; else 0.
func (p phrase) Match(tokens []Token, i int) int {
	const widest = 4
	sentence := tokens[i].Sentence
	at := i
	for n := 0; n < len(p.words); n++ {
		if p.words[n] != "*" {
			if at >= len(tokens) || tokens[at].Sentence != sentence || !sameWord(tokens[at].Folded, p.words[n]) {
				return 0
			}
			at++
			continue
		}
		rest := phrase{words: p.words[n+1:]}
		for skip := 0; skip <= widest && at+skip < len(tokens) && tokens[at+skip].Sentence == sentence; skip++ {
			if !sameWord(tokens[at+skip].Folded, rest.words[0]) {
				continue
			}
			if last := rest.Match(tokens, at+skip); last > 0 {
				return last
			}
		}
		return 0
	}
	return at
}

// words adds the words of the phrases to a set, except the words of names of events, and of phrases whose first word
// ends with Stem. Another word with Stem is added together with it.
func (x *Phrases) words(set map[string]bool) {
	for _, phrases := range x.ByFirst {
		for _, p := range phrases {
			if p.Section == "event_name" {
				continue
			}
			for _, w := range p.words {
				set[w] = true
			}
		}
	}
}

// Has reports whether the text contains a phrase of the section.
func (x *Phrases) Has(section, text string) bool {
	for _, h := range x.Find(Tokenize(text)) {
		if h.Section == section {
			return true
		}
	}
	return false
}

// Line is one phrase of a file as it is written, with the names of its sections.
type Line struct{ Sections, Text string }

// Lines returns the phrases of an embedded file in their order, without comments and blank lines; nil if no file has
// this name.
func Lines(name string) []Line {
	data, err := files.ReadFile(name)
	if err != nil {
		return nil // cannot happen: the file is part of the binary
	}
	var all []Line
	sections := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			sections = strings.Trim(line, "[] ")
		default:
			all = append(all, Line{sections, line})
		}
	}
	return all
}

// loadSection returns the phrases of one section of a file as they are written. Lines of several sections are left out.
func loadSection(name, section string) []string {
	var lines []string
	for _, l := range Lines(name) {
		if l.Sections == section {
			lines = append(lines, l.Text)
		}
	}
	return lines
}

// loadWords splits the lines of a file into words and returns the set of them, folded.
func loadWords(name string) map[string]bool {
	var lines []string
	for _, l := range Lines(name) {
		lines = append(lines, l.Text)
	}
	return wordsOf(lines)
}

// wordsOf splits lines into words and returns the set of them, folded.
func wordsOf(lines []string) map[string]bool {
	words := map[string]bool{}
	for _, line := range lines {
		for w := range strings.FieldsSeq(line) {
			words[Fold(w)] = true
		}
	}
	return words
}
