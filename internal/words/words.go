// Package words finds the words of plain texts that the search looks for, so that who stores a row can bring them
// along: the database needs several times as long.
package words

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// mostPlain is how many bytes of text are looked through; of very long ones the database keeps a part alone.
const mostPlain = 256 << 10

// longestWord is how many characters of a word the schema's app_cut keeps.
const longestWord = 64

// Plain returns the words of texts as the schema's app_words finds them, as text of a tsvector. It returns "" where a
// text holds letters beyond ASCII: how these are folded only the database knows, and it finds the words itself.
func Plain(texts ...string) string {
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	if size > mostPlain {
		return ""
	}
	words := make([]string, 0, size/6)
	for _, text := range texts {
		plain, found := cutPlain(text, words)
		if !plain {
			return ""
		}
		words = found
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// Strings returns texts and behind them the strings of a JSON value, as the schema's app_strings finds them.
func Strings(value json.RawMessage, texts ...string) []string {
	var decoded any
	if json.Unmarshal(value, &decoded) != nil {
		return texts // the database refuses it
	}
	return appendStrings(texts, decoded)
}

func appendStrings(texts []string, value any) []string {
	switch value := value.(type) {
	case string:
		texts = append(texts, value)
	case []any:
		for _, one := range value {
			texts = appendStrings(texts, one)
		}
	case map[string]any:
		for _, one := range value {
			texts = appendStrings(texts, one)
		}
	}
	return texts
}

// cutPlain appends the words of a text, and reports whether it is plain.
func cutPlain(text string, words []string) (bool, []string) {
	begin := -1
	for at, r := range text {
		switch {
		case isPlainLetter(r):
			if begin < 0 {
				begin = at
			}
			continue
		case r >= utf8.RuneSelf && !isPlainGap(r):
			return false, nil
		}
		if begin >= 0 {
			words, begin = append(words, fold(text[begin:at])), -1
		}
	}
	if begin >= 0 {
		words = append(words, fold(text[begin:]))
	}
	return true, words
}

func isPlainLetter(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

func fold(word string) string { return strings.ToLower(word[:min(len(word), longestWord)]) }

// isPlainGap reports whether a character beyond ASCII is between words, whatever is beside it: no-break space, the
// dashes, quotes, dots and spaces of typesetting without those two that hold a combining mark, and the euro sign.
func isPlainGap(r rune) bool {
	return r == 0xa0 || r >= 0x2000 && r <= 0x206f && r != 0x2017 && r != 0x203e || r == 0x20ac
}
