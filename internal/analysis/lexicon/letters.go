package lexicon

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Squeeze returns the letters and digits of a name, folded: "sunking" for "Sun King!".
func Squeeze(name string) string {
	if IsPlainASCII(name) {
		return squeezeASCII(name)
	}
	folded := Fold(name)
	if strings.IndexFunc(folded, isNoLetterOrDigit) < 0 {
		return folded
	}
	var out strings.Builder
	out.Grow(len(folded))
	for _, r := range folded {
		if !isNoLetterOrDigit(r) {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func isNoLetterOrDigit(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

func squeezeASCII(name string) string {
	first := 0
	for first < len(name) && squeezed(name[first]) == name[first] {
		first++
	}
	if first == len(name) {
		return name
	}
	var room [64]byte // enough for nearly all names
	out := append(room[:0], name[:first]...)
	for i := first; i < len(name); i++ {
		if c := squeezed(name[i]); c != 0 {
			out = append(out, c)
		}
	}
	return string(out)
}

// squeezed returns the byte in lower case if it is an ASCII letter or a digit, else 0.
func squeezed(c byte) byte {
	switch {
	case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		return c
	case c >= 'A' && c <= 'Z':
		return c + 'a' - 'A'
	}
	return 0
}

// SameSqueezed reports whether two names have the same ASCII letters and digits in the same order, in any case. It
// ignores all other characters, so it is only useful for names in ASCII.
func SameSqueezed(a, b string) bool {
	for {
		a, b = fromSqueezed(a), fromSqueezed(b)
		if a == "" || b == "" {
			return a == b
		}
		if squeezed(a[0]) != squeezed(b[0]) {
			return false
		}
		a, b = a[1:], b[1:]
	}
}

// fromSqueezed returns the rest of an ASCII text that begins with its first letter or digit; "" if it has none.
func fromSqueezed(name string) string {
	for name != "" && squeezed(name[0]) == 0 {
		name = name[1:]
	}
	return name
}

// isSmallASCII reports whether a text is ASCII without capitals, as most words are. Fold does not change such a text.
func isSmallASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] >= 'A' && s[i] <= 'Z' {
			return false
		}
	}
	return true
}

// IsPlainASCII reports whether a text is ASCII.
func IsPlainASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// FirstWord returns the text before the first space, or the whole text if it has none.
func FirstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

// CountWords returns the number of words of a text, which are separated by white space.
func CountWords(s string) int {
	n := 0
	for range strings.FieldsSeq(s) {
		n++
	}
	return n
}

// StartsUpper reports whether a text is not empty and does not begin with a lower-case letter. Digits, punctuation,
// spaces and letters of scripts without capitals count as capitals.
func StartsUpper(s string) bool {
	for _, r := range s {
		return unicode.IsUpper(r) || unicode.IsDigit(r) || !unicode.IsLower(r)
	}
	return false
}

// StartsLower reports whether a text begins with a lower-case letter.
func StartsLower(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(first)
}

// StartUpper returns a text with a capital as its first letter. The text must not be empty.
func StartUpper(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// HasDigit reports whether a text has a digit of ASCII.
func HasDigit(s string) bool {
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			return true
		}
	}
	return false
}

// IsUpper reports whether a text is the same in capitals, as a text without letters is, too.
func IsUpper(s string) bool { return isSame(s, unicode.ToUpper) }

// IsLower reports whether a text is the same in lower case, as a text without letters is, too.
func IsLower(s string) bool { return isSame(s, unicode.ToLower) }

// isSame reports whether strings.Map would return s unchanged. It does not allocate.
func isSame(s string, mapping func(rune) rune) bool {
	for i, r := range s {
		if mapping(r) != r || r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)) {
			return false
		}
	}
	return true
}

// IsLetterOrDigit reports whether a byte is a letter or digit of ASCII.
func IsLetterOrDigit(c byte) bool { return IsHostByte(c) && c != '-' && c != '.' }

// IsHostByte reports whether a byte is a letter or digit of ASCII, "-" or ".", of which host names consist.
func IsHostByte(c byte) bool {
	return c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// IsLocalByte reports whether a byte may be in the part of an address before the "@": a letter or digit of ASCII or one
// of "-._%+'".
func IsLocalByte(c byte) bool { return IsHostByte(c) || strings.IndexByte("_%+'", c) >= 0 }

// HasPrefixFold reports whether a text begins with a prefix in any case.
func HasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// HasSuffixFold reports whether a text ends with a suffix in any case.
func HasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

// IndexFold returns the index of what in s in any case, -1 for none. It prefers a match in the same case to an earlier
// one in another. If s or what has another length in lower case, only a match in the same case is found: finding others
// would take too much time.
func IndexFold(s, what string) int {
	if i := strings.Index(s, what); i >= 0 {
		return i
	}
	lower, wanted := strings.ToLower(s), strings.ToLower(what)
	if len(lower) != len(s) || len(wanted) != len(what) {
		return -1
	}
	return strings.Index(lower, wanted)
}

// HasHan reports whether a text has a character of a script that writes no spaces between words: Chinese, Japanese or
// Thai.
func HasHan(s string) bool {
	for _, r := range s {
		if IsUnspaced(r) {
			return true
		}
	}
	return false
}

// HasHangul reports whether a text has Korean syllables.
func HasHangul(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0xac00 && r <= 0xd7a3 }) >= 0
}

// IsJapanese reports whether a text has Kana, which Chinese lacks.
func IsJapanese(s string) bool {
	for _, r := range s {
		if r >= 0x3041 && r <= 0x30fe {
			return true
		}
	}
	return false
}

// SplitCamel returns the text with a space before each ASCII capital after an ASCII lower-case letter: "company Name"
// for "companyName".
func SplitCamel(s string) string {
	var out strings.Builder
	for i, r := range s {
		if i > 0 && r >= 'A' && r <= 'Z' && s[i-1] >= 'a' && s[i-1] <= 'z' {
			out.WriteByte(' ')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// SplitCamelWords returns the text with "_" before each capital after a lower-case letter: "Palimpsest_Pitch_Deck" for
// "PalimpsestPitchDeck".
func SplitCamelWords(s string) string {
	var out strings.Builder
	previous := ' '
	for _, c := range s {
		if unicode.IsUpper(c) && unicode.IsLower(previous) {
			out.WriteByte('_')
		}
		out.WriteRune(c)
		previous = c
	}
	return out.String()
}

// InsideWord reports whether the letter at byte i comes right after a letter, a digit, "@", "_" or "#": "B" in
// "fooBar", "A" in "ann@Acme".
func InsideWord(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	return unicode.IsLetter(before) || unicode.IsDigit(before) || before == '@' || before == '_' || before == '#'
}

// BoolInt returns 1 for true and 0 for false.
func BoolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Cut returns s if it has at most the given number of characters; otherwise it returns the first most-1 characters of s
// and "…". most must be at least 1.
func Cut(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:max(0, most-1)]) + "…"
}

// AppendNew returns the list all with the text one appended, or all itself if it has one already. Like append, it may
// write into the memory of all.
func AppendNew(all []string, one string) []string {
	if slices.Contains(all, one) {
		return all
	}
	return append(all, one)
}
