package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// token is one word of a text, where it stands, and how it reads in lower case without accents. Scripts that write no
// spaces give one token for each character.
type token struct {
	folded     string
	start, end int
	clause     int // words of one clause, between sentence ends, line ends, commas and the like, share the number
	sentence   int // words of one sentence share the number
}

// tokenize splits a text into its words. A hyphen or an apostrophe separates two words.
func tokenize(text string) []token {
	tokens := make([]token, 0, len(text)/5)
	clause, sentence, depth := 0, 0, 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isWordRune(r) {
			c, s := separates(text, i, r)
			depth = bracketDepth(depth, r)
			if r == ';' && depth > 0 {
				s = 0 // "Acme (AI for care homes; 22 homes live)" is one sentence
			}
			clause, sentence = clause+c, sentence+s
			i += size
			continue
		}
		end := i + size
		if !isUnspaced(r) {
			end = i + wordLength(text[i:])
		}
		tokens = append(tokens, token{folded: fold(text[i:end]), start: i, end: end, clause: clause, sentence: sentence})
		i = end
	}
	return tokens
}

// bracketDepth counts brackets within a line.
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

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return squeezed(byte(r)) != 0 //nolint:gosec // G115: it is ASCII
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func isUnspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

func wordLength(s string) int {
	for i, r := range s {
		if !isWordRune(r) || isUnspaced(r) {
			return i
		}
	}
	return len(s)
}

// separates reports whether the character at i ends a clause, and whether it ends a sentence too.
func separates(text string, i int, r rune) (clause, sentence int) {
	switch r {
	case '\n', ';', '!', '?', '。', '！', '？', '；':
		return 1, 1
	case '.':
		if endsSentence(text, i) {
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

// endsSentence distinguishes the full stop at i from the dot of a number, a domain or an abbreviation.
func endsSentence(text string, i int) bool {
	if i+1 < len(text) && text[i+1] > ' ' && text[i+1] != '"' && text[i+1] != ')' {
		return false
	}
	word := strings.LastIndexAny(text[:i], " \n\t(.") + 1
	switch fold(text[word:i]) {
	case "dr", "mr", "mrs", "ms", "prof", "st", "inc", "ltd", "co", "corp", "approx", "ca", "bzw", "z", "b", "vs", "sr",
		"sra", "mme", "dott", "dssa", "ing", "avv", "sig", "dhr", "mevr", "hr", "fr", "mgr", "inz", "mio", "mrd", "tsd",
		"nr", "inkl", "incl", "m", "e", "g", "i":
		return false
	}
	return true
}

// fold returns the text in lower case and without accents.
func fold(text string) string {
	if isSmallASCII(text) {
		return text
	}
	if isPlainASCII(text) {
		return strings.ToLower(text)
	}
	var out strings.Builder
	out.Grow(len(text))
	for _, r := range norm.NFD.String(strings.ToLower(text)) {
		switch {
		case r == 'ß':
			out.WriteString("ss")
		case r == 'ı':
			out.WriteByte('i')
		case r == 'ł':
			out.WriteByte('l')
		case r == 'ø':
			out.WriteByte('o')
		case !unicode.Is(unicode.Mn, r) || r >= 0x3040 && r < 0x3100:
			out.WriteRune(r)
		}
	}
	return norm.NFC.String(out.String())
}

// isSmallASCII reports whether folding leaves the text as it is, as it does most words.
func isSmallASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] >= 'A' && s[i] <= 'Z' {
			return false
		}
	}
	return true
}

func isPlainASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
