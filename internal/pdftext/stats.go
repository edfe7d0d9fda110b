package pdftext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits for pages that look like text. A page that exceeds one is read by the second reader too, which costs little
// time, so that the limits may be strict. They also help to choose between the texts of the two readers.
const (
	minLetters    = 20  // a page, on average
	maxBad        = 2   // percent of the characters: control, U+FFFD, private use
	maxForeign    = 5   // percent of the letters in scripts that the first reader gets wrong
	maxJoined     = 3   // percent of the words
	maxLong       = 2   // percent of the words
	maxSingles    = 30  // percent of the words
	maxWordLength = 9.5 // letters on average
	longWord      = 22
)

// stats counts, over all pages, what distinguishes text from rubbish. It looks at raw text: cleaning hides the
// symptoms.
type stats struct {
	pages, blank int
	runes, bad   int
	letters      int
	foreign      int // letters of right-to-left, Indic and Thai scripts
	words        int
	joined, long int
	singles      int
	wordLetters  int
	score        int // how much there is that can be words
}

func (s *stats) add(page string) {
	s.pages++
	before := s.letters
	for _, r := range page {
		s.addRune(r)
	}
	if s.letters == before {
		s.blank++
	}
	for word := range strings.FieldsSeq(page) {
		s.addWord(word)
	}
}

func (s *stats) addRune(r rune) {
	s.runes++
	switch {
	case unicode.IsLetter(r):
		s.letters++
		if isForeign(r) {
			s.foreign++
		}
		if isIdeograph(r) {
			s.score++
		}
	case r == utf8.RuneError, unicode.Is(unicode.Co, r), unicode.IsControl(r) && !unicode.IsSpace(r) && !isLigature(r):
		s.bad++
	}
}

func (s *stats) addWord(word string) {
	letters, unspaced, joints := 0, 0, 0
	before, last := ' ', ' '
	for _, r := range word {
		if unicode.IsLetter(r) || isLigature(r) {
			letters++
		}
		if isIdeograph(r) || isClustered(r) {
			unspaced++
		}
		if joint(before, last, r) {
			joints++
		}
		before, last = last, r
	}
	if letters == 0 {
		return
	}
	s.words++
	if unspaced > 0 {
		s.score++
		return
	}
	s.wordLetters += letters
	switch {
	case joints > 0:
		s.joined++
	case letters > longWord:
		s.long++
	case letters == 1:
		s.singles++
	default:
		s.score++
	}
}

// joint reports whether two words seem to be joined before r, as in "aB", "x,y" or "5%a".
func joint(before, last, r rune) bool {
	switch {
	case unicode.IsLower(last):
		return unicode.IsUpper(r)
	case last == ',':
		return unicode.IsLetter(before) && unicode.IsLetter(r)
	case last == '%':
		return unicode.IsLetter(r)
	}
	return false
}

// doubt returns why the first reader's pages cannot be used as they are, or "".
func (s *stats) doubt() string {
	switch {
	case s.blank > 0:
		return "pages without text"
	case s.letters < minLetters*s.pages:
		return "few letters"
	case s.foreign*100 > maxForeign*s.letters:
		return "a script that needs ordering"
	}
	return s.rubbish()
}

// rubbish returns why the pages do not look like text, whichever reader read them, or "".
func (s *stats) rubbish() string {
	switch {
	case s.letters == 0:
		return "no letters"
	case s.unreadable():
		return "characters that no text has"
	case s.glued() != "":
		return s.glued()
	case s.singles*100 > maxSingles*s.words:
		return "single letters"
	}
	return ""
}

// unreadable reports whether more than maxBad percent of the characters are control characters, U+FFFD or for private
// use.
func (s *stats) unreadable() bool { return s.bad*100 > maxBad*s.runes }

// gluesWords reports whether the words of a page look as if several were one.
func gluesWords(page string) bool {
	var s stats
	s.add(page)
	return s.joined*100 > maxJoined*s.words || s.long*100 > maxLong*s.words
}

// mayGlueWords reports whether some words of a page may be several, so that it is worth measuring their gaps.
func mayGlueWords(page string) bool {
	var s stats
	s.add(page)
	return s.joined*100 > s.words || s.glued() != ""
}

// glued returns why the words look as if several were one, or "".
func (s *stats) glued() string {
	switch {
	case s.joined*100 > maxJoined*s.words:
		return "joined words"
	case s.long*100 > maxLong*s.words, float64(s.wordLetters) > maxWordLength*float64(s.words):
		return "long words"
	}
	return ""
}

// isForeign reports whether a letter is of a script that is drawn in another order than it is read.
func isForeign(r rune) bool {
	return isRightToLeft(r) || isClustered(r)
}

// isClustered reports whether a letter is of a script that is drawn in clusters: those of India and its neighbours.
func isClustered(r rune) bool {
	return unicode.In(r, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya,
		unicode.Tamil,
		unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Thai, unicode.Lao, unicode.Khmer,
		unicode.Myanmar, unicode.Tibetan)
}

// isIdeograph reports whether a letter is of a script in which one letter is often a whole word.
func isIdeograph(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}
