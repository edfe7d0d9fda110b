// Package searchwords finds the words of plain texts by which rows are searched. The database needs several times
// as long to find them, so the process that stores a row finds them itself where it can.
package searchwords

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// mostPlain is the maximum number of bytes of the texts in which Plain finds words. Of longer texts the database
// indexes only a part.
const mostPlain = 256 << 10

// longestWord is how many characters of a word are kept, as in the schema's app_cut.
const longestWord = 64

// Plain returns the words of texts, as the schema's app_words finds them, in the text form of a tsvector. It returns ""
// if there are none, and if the texts have more than mostPlain bytes together, or a character beyond ASCII that may
// belong to a word: only the database can fold these. For "" the database finds the words itself.
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

// Strings returns texts, followed in any order by the strings of a JSON value as the schema's app_strings finds them;
// only texts if the value is not valid JSON. As append does, it may overwrite what is behind texts in its array.
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

// cutPlain appends the words of a text, in lower case and cut to longestWord, to words, and returns true. It returns
// false and nil if the text has a character beyond ASCII for which isPlainGap is false.
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

// isPlainGap reports whether a character beyond ASCII always separates words: the no-break space, the euro sign, and
// the dashes, quotes, dots and spaces of typesetting, except U+2017 and U+203E, which decompose into a space and a
// combining mark.
func isPlainGap(r rune) bool {
	return r == 0xa0 || r >= 0x2000 && r <= 0x206f && r != 0x2017 && r != 0x203e || r == 0x20ac
}
