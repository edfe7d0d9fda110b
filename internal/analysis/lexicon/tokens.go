package lexicon

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token is one word of a text: from byte Start up to, not including, End, with its form in lower case without accents.
// In scripts without spaces, each character is a token.
type Token struct {
	Folded     string
	Start, End int
	Clause     int // words of one clause, between sentence ends, line ends, commas and the like, share the number
	Sentence   int // words of one sentence share the number
}

// Tokenize splits a text into its words. A hyphen or an apostrophe separates two words.
func Tokenize(text string) []Token {
	tokens := make([]Token, 0, 1+len(text)/5)
	lower := text
	if IsPlainASCII(text) {
		lower = strings.ToLower(text)
	}
	clause, sentence, depth := 0, 0, 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !IsWordRune(r) {
			c, s := separates(text, i, r)
			depth = bracketDepth(depth, r)
			if r == ';' && depth > 0 {
				s = 0 // "Acme (AI for care homes; 22 homes live)" is one sentence
			}
			clause, sentence = clause+c, sentence+s
			i += size
			continue
		}
		end := wordEnd(text, i)
		tokens = append(tokens, Token{Folded: Fold(lower[i:end]), Start: i, End: end, Clause: clause, Sentence: sentence})
		i = end
	}
	return tokens
}

// FoldedWords returns the Folded of each token that Tokenize would return. It is faster.
func FoldedWords(text string) []string {
	words := make([]string, 0, 1+strings.Count(text, " "))
	lower := text
	if IsPlainASCII(text) {
		lower = strings.ToLower(text)
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !IsWordRune(r) {
			i += size
			continue
		}
		end := wordEnd(text, i)
		words = append(words, Fold(lower[i:end]))
		i = end
	}
	return words
}

// bracketDepth returns how many round brackets are open after character r, if depth are open before it. A line end
// closes all.
func bracketDepth(depth int, r rune) int {
	switch r {
	case '(':
		return depth + 1
	case ')':
		return max(0, depth-1)
	case '\n':
		return 0
	}
	return depth
}

// IsWordRune reports whether a character belongs to a word: whether it is a letter, a digit or a combining mark.
func IsWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return squeezed(byte(r)) != 0 //nolint:gosec // G115: it is ASCII
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// IsUnspaced reports whether a character is of a script that writes no spaces between words: Chinese, Japanese or Thai.
func IsUnspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// wordEnd returns the byte after the word that begins at byte i. A character of a script without spaces is a whole
// word.
func wordEnd(text string, i int) int {
	if r, size := utf8.DecodeRuneInString(text[i:]); IsUnspaced(r) {
		return i + size
	}
	return i + wordLength(text[i:])
}

func wordLength(s string) int {
	for i, r := range s {
		//nolint:gosec // G115: the letter is ASCII
		if r < utf8.RuneSelf && squeezed(byte(r)) == 0 || r >= utf8.RuneSelf && (!IsWordRune(r) || IsUnspaced(r)) {
			return i
		}
	}
	return len(s)
}

// separates returns clause 1 if the character r at byte i ends a clause, and sentence 1 if it also ends a sentence;
// otherwise both are 0.
func separates(text string, i int, r rune) (clause, sentence int) {
	switch r {
	case '\n', ';', '!', '?', '。', '！', '？', '；':
		return 1, 1
	case '.':
		if EndsSentence(text, i) {
			return 1, 1
		}
	case ',', ':', '(', ')', '"', '“', '”', '「', '」', '，', '、', '：', '|', '—', '–', '…', '•', '*':
		return 1, 0
	case '-':
		if i > 0 && text[i-1] == ' ' {
			return 1, 0
		}
	}
	return 0, 0
}

// EndsSentence reports whether the dot at byte i is a full stop, and not the dot of a number, a domain or an
// abbreviation.
func EndsSentence(text string, i int) bool {
	if i+1 < len(text) && text[i+1] > ' ' && text[i+1] != '"' && text[i+1] != ')' {
		return false
	}
	word := strings.LastIndexAny(text[:i], " \n\t(.") + 1
	return !In("abbreviations", Fold(text[word:i]))
}

// Nearby returns those hits that begin at token from or later, but before token to. hits must be in the order of the
// text. With Nearby, texts that are full of phrases are read fast, since each phrase is compared only with the phrases
// near it.
func Nearby(hits []Hit, from, to int) []Hit {
	byFirst := func(hit Hit, at int) int { return hit.First - at }
	begin, _ := slices.BinarySearchFunc(hits, from, byFirst)
	end, _ := slices.BinarySearchFunc(hits[begin:], to, byFirst)
	return hits[begin : begin+end]
}
