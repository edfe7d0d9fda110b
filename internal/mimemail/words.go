package mimemail

import (
	"encoding/base64"
	"strings"
)

// word is an encoded word (RFC 2047): its charset, as it was named, and its bytes in that charset.
type word struct {
	charset string
	bytes   []byte
}

// decodeWords decodes the encoded words of a header (RFC 2047), and 8-bit text, which RFC 2047 forbids. It leaves what
// it cannot decode unchanged. Encoded words may have characters that are not allowed, such as spaces, and a character
// may be divided between two words.
func decodeWords(value string) string {
	value, _ = readable([]byte(value), "")
	return storable(mapWords(value, func(text string, _ bool) string { return text }))
}

// quoteWords decodes the encoded words of a header of addresses into quoted strings, since they may contain commas and
// angle brackets. A word within a quoted string is decoded into escaped text of that string.
func quoteWords(value string) string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", " ", "\n", " ", "\t", " ")
	return mapWords(value, func(text string, quoted bool) string {
		text = escape.Replace(text)
		if quoted {
			return text
		}
		return `"` + text + `"`
	})
}

// mapWords returns a header with its encoded words decoded and then written by write, which is passed whether a quoted
// string is open.
func mapWords(value string, write func(text string, quoted bool) string) string {
	var out strings.Builder
	quoted := false
	for {
		begin := strings.Index(value, "=?")
		if begin < 0 {
			break
		}
		plain := value[:begin]
		quoted = quoted != (strings.Count(plain, `"`)%2 == 1)
		out.WriteString(plain)
		text, rest := cutWords(value[begin:])
		if rest == value[begin:] {
			text, rest = "=?", rest[2:]
		} else {
			text = write(text, quoted)
		}
		out.WriteString(text)
		value = rest
	}
	out.WriteString(value)
	return out.String()
}

// cutWords decodes the encoded words at the beginning of a text, and returns the text after them; "" and the whole text
// if there are none. White space between two of them is dropped, and the bytes of neighbours in one charset are decoded
// together.
func cutWords(value string) (text, rest string) {
	var words []word
	rest = value
	for {
		next, behind, found := cutWord(strings.TrimLeft(rest, " \t\r\n"))
		if !found {
			break
		}
		rest = behind
		if last := len(words) - 1; last >= 0 && strings.EqualFold(words[last].charset, next.charset) {
			words[last].bytes = append(words[last].bytes, next.bytes...)
		} else {
			words = append(words, next)
		}
	}
	var decoded strings.Builder
	for _, w := range words {
		text, _ := decodeCharset(w.bytes, w.charset)
		decoded.WriteString(text)
	}
	return decoded.String(), rest
}

// cutWord parses the encoded word at the beginning of a text, and returns the text after the word. It reports false,
// and returns the whole text, if there is no word in a known charset. It looks for the end of the word in the first
// maxWord bytes.
func cutWord(value string) (w word, rest string, found bool) {
	parts := strings.SplitN(value[:min(len(value), maxWord)], "?", 4)
	if len(parts) < 4 || parts[0] != "=" || len(parts[2]) != 1 {
		return word{}, value, false
	}
	content, _, closed := strings.Cut(parts[3], "?=")
	w.charset, _, _ = strings.Cut(parts[1], "*") // a language
	if _, known := decodeCharset(nil, w.charset); !closed || !known || w.charset == "" {
		return word{}, value, false
	}
	switch parts[2] {
	case "q", "Q":
		w.bytes = percentDecode(strings.ReplaceAll(content, "_", " "), '=')
	case "b", "B":
		w.bytes = looseBase64(content)
	default:
		return word{}, value, false
	}
	return w, value[len(parts[1])+len(content)+len("=???B?="):], true
}

// percentDecode decodes each byte that is written as a mark and two hexadecimal digits. A mark without such digits
// stays as it is.
func percentDecode(text string, mark byte) []byte {
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] == mark && i+2 < len(text) {
			high, isHigh := hexDigit(text[i+1])
			low, isLow := hexDigit(text[i+2])
			if isHigh && isLow {
				out = append(out, high<<4|low)
				i += 2
				continue
			}
		}
		out = append(out, text[i])
	}
	return out
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// looseBase64 decodes base64 that may lack its padding. It skips characters that base64 does not use, and drops a last
// character that is alone in its group of four.
func looseBase64(text string) []byte {
	text = strings.Map(func(r rune) rune {
		if isPlainLetter(r) || r == '+' || r == '/' {
			return r
		}
		return -1
	}, text)
	if len(text)%4 == 1 {
		text = text[:len(text)-1]
	}
	decoded, _ := base64.RawStdEncoding.DecodeString(text) // nothing else is left in it
	return decoded
}

func isPlainLetter(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
