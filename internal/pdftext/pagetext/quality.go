package pagetext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits for what looks like text, over all pages of a document. If one is exceeded, or minLetters is not reached,
// PDFium also reads the document as the second reader. That costs little time, so the limits may be strict. They are
// also used to choose between the texts of the two readers. A word with more than longWord letters is a long one.
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

// Quality counts, over all pages, what distinguishes text from rubbish. It needs the raw text, since cleaning removes
// some of what it counts. The zero value has no pages.
type Quality struct {
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

// Add counts, in the raw text of one page, what distinguishes text from rubbish: letters, bad characters, and words.
func (q *Quality) Add(page string) {
	q.pages++
	before := q.letters
	for _, r := range page {
		q.addRune(r)
	}
	if q.letters == before {
		q.blank++
	}
	for word := range strings.FieldsSeq(page) {
		q.addWord(word)
	}
}

func (q *Quality) addRune(r rune) {
	q.runes++
	switch {
	case unicode.IsLetter(r):
		q.letters++
		if isForeign(r) {
			q.foreign++
		}
		if isIdeograph(r) {
			q.score++
		}
	case r == utf8.RuneError, unicode.Is(unicode.Co, r), unicode.IsControl(r) && !unicode.IsSpace(r) && !isLigature(r):
		q.bad++
	}
}

func (q *Quality) addWord(word string) {
	letters, unspaced, joints := 0, 0, 0
	before, last := ' ', ' '
	for _, r := range word {
		if unicode.IsLetter(r) || isLigature(r) {
			letters++
		}
		if isIdeograph(r) || IsClustered(r) {
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
	q.words++
	if unspaced > 0 {
		q.score++
		return
	}
	q.wordLetters += letters
	switch {
	case joints > 0:
		q.joined++
	case letters > longWord:
		q.long++
	case letters == 1:
		q.singles++
	default:
		q.score++
	}
}

// joint reports whether a word seems to end, without a space, before the character r, as in "aB", "x,y" or "5%a".
// before and last are the two characters before r.
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

// Doubt returns why the pages, which the first reader read, must also be read by the second one; "" if they need not.
func (q *Quality) Doubt() string {
	switch {
	case q.blank > 0:
		return "pages without text"
	case q.letters < minLetters*q.pages:
		return "few letters"
	case q.foreign*100 > maxForeign*q.letters:
		return "a script that needs ordering"
	}
	return q.Rubbish()
}

// Rubbish returns why the pages, read by any reader, do not look like text, or "".
func (q *Quality) Rubbish() string {
	switch {
	case q.letters == 0:
		return "no letters"
	case q.Unreadable():
		return "characters that no text has"
	case q.glued() != "":
		return q.glued()
	case q.singles*100 > maxSingles*q.words:
		return "single letters"
	}
	return ""
}

// Unreadable reports whether more than maxBad percent of the characters are U+FFFD, for private use, or control
// characters other than white space and TeX's ligatures.
func (q *Quality) Unreadable() bool { return q.bad*100 > maxBad*q.runes }

// HasLetters reports whether any page has a letter.
func (q *Quality) HasLetters() bool { return q.letters > 0 }

// Score returns approximately how many words the pages have. Single letters, long words and words that look joined do
// not count; an ideograph counts as a word. Of several readings of a document, the one with the highest score is
// usually the best.
func (q *Quality) Score() int { return q.score }

// GluesWords reports whether more than maxJoined percent of the words of a page look as if several were joined, or more
// than maxLong percent are long. It returns false for a page without words.
func GluesWords(page string) bool {
	var q Quality
	q.Add(page)
	return q.joined*100 > maxJoined*q.words || q.long*100 > maxLong*q.words
}

// MayGlueWords reports whether more than one percent of the words of a page look as if several were joined, or the
// words are long. Then it is worth measuring the gaps between the letters.
func MayGlueWords(page string) bool {
	var q Quality
	q.Add(page)
	return q.joined*100 > q.words || q.glued() != ""
}

// glued returns why the words look as if several were joined, or "".
func (q *Quality) glued() string {
	switch {
	case q.joined*100 > maxJoined*q.words:
		return "joined words"
	case q.long*100 > maxLong*q.words, float64(q.wordLetters) > maxWordLength*float64(q.words):
		return "long words"
	}
	return ""
}

// isForeign reports whether a letter is of a script that is drawn in another order than it is read.
func isForeign(r rune) bool {
	return IsRightToLeft(r) || IsClustered(r)
}

// IsClustered reports whether a character is of a script that is drawn in clusters, such as those of India, Thailand
// and Tibet. The character need not be a letter.
func IsClustered(r rune) bool {
	return unicode.In(r, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya,
		unicode.Tamil,
		unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Thai, unicode.Lao, unicode.Khmer,
		unicode.Myanmar, unicode.Tibetan)
}

// isIdeograph reports whether a character is of a script in which one letter is often a whole word: Han, Hiragana or
// Katakana.
func isIdeograph(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// IsRightToLeft reports whether a letter is of a script that is written from right to left.
func IsRightToLeft(r rune) bool {
	return unicode.IsLetter(r) && unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana,
		unicode.Nko)
}
