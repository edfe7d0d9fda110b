package clean

import (
	"html"
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
)

// Clean returns a text without the encodings of mails and JSON. It decodes HTML entities, quoted-printable if
// LooksQuotedPrintable reports true, and JSON's escapes of "/", "&" and "=" if the slashes of a link are escaped. It
// removes zero-width spaces, word joiners, byte order marks and soft hyphens. Links and names must be looked for in the
// result. The time is linear in the text.
func Clean(text string) string {
	if LooksQuotedPrintable(text) {
		text = DecodeQuotedPrintable(text)
	}
	if strings.Contains(text, `:\/\/`) {
		text = strings.NewReplacer(`\/`, "/", `\u0026`, "&", `\u003d`, "=", `\u003D`, "=").Replace(text)
	}
	text = decodeEntities(text)
	return dropInvisible(text)
}

// LooksQuotedPrintable reports whether text is in quoted-printable. In quoted-printable, two hex digits or a line end
// follow every "="; any other "=" is evidence against it, and a header that declares it is evidence for it. A single
// "=3D" in a text about 3D does not count: it may be a link that searches for 3D printers.
func LooksQuotedPrintable(text string) bool {
	n := countEquals(text)
	if declaresQuotedPrintable(text) {
		return n.wrong <= n.soft+n.escaped
	}
	if n.wrong > 0 {
		return n.soft > 0 && n.equals > 0 && n.wrong < n.soft+n.escaped
	}
	return n.escaped > 1 || (n.escaped > 0 && n.soft > 0) || (n.equals == 1 && !speaksOf3D(text))
}

// equals counts each "=" of a text by what follows it: a line end (soft), two hex digits (escaped), "3D" (equals, which
// escaped includes), or anything else, which quoted-printable never has (wrong). A "=" after the name of a link's
// parameter is wrong unless "3D" or a line end follows it. A "=?" is not counted.
type equals struct{ soft, escaped, equals, wrong int }

func countEquals(text string) equals {
	var n equals
	for i := strings.IndexByte(text, '='); i >= 0 && i < len(text); {
		switch rest := text[i+1:]; {
		case rest == "" || rest[0] == '\n' || strings.HasPrefix(rest, "\r\n"):
			n.soft++
		case len(rest) >= 2 && isHex(rest[0]) && isHex(rest[1]) && (rest[:2] == "3D" || !isParameter(text[:i])):
			n.escaped++
			if rest[:2] == "3D" {
				n.equals++
			}
		case rest[0] != '?': // "=?" begins an encoded word of a header
			n.wrong++
		}
		next := strings.IndexByte(text[i+1:], '=')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return n
}

// isParameter reports whether the text ends with "?name" or "&name", with a name of fewer than 40 characters. A "="
// after it belongs to a link; quoted-printable would have written it as "=3D".
func isParameter(text string) bool {
	const longest = 40
	for n := 1; n <= longest && n <= len(text); n++ {
		switch c := text[len(text)-n]; {
		case c == '?' || c == '&':
			return n > 1
		case !lexicon.IsLetterOrDigit(c) && c != '_' && c != '-' && c != '.':
			return false
		}
	}
	return false
}

func declaresQuotedPrintable(text string) bool {
	head := strings.ToLower(text[:min(len(text), 64<<10)])
	_, encoding, found := strings.Cut(head, "content-transfer-encoding:")
	return found && strings.HasPrefix(strings.TrimLeft(encoding, " \t"), "quoted-printable")
}

// speaksOf3D reports whether the only "=3D" of a text is about 3D: a word that is used with "3D" follows it, or no word
// at all.
func speaksOf3D(text string) bool {
	_, rest, _ := strings.Cut(text, "=3D")
	rest = strings.ToLower(strings.TrimLeft(rest, "-_+%20"))
	if rest == "" || strings.IndexByte(" \r\n&#)>.,;", rest[0]) >= 0 {
		return true
	}
	for _, noun := range lexicon.List("nouns of 3D") {
		if strings.HasPrefix(rest, noun) {
			return true
		}
	}
	return false
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'F' || c >= 'a' && c <= 'f'
}

func hexValue(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}

// DecodeQuotedPrintable decodes the well-formed escapes of a text, joins lines that end in "=", and leaves any other
// "=" unchanged, since a mail is often only partly encoded. Bytes that are not UTF-8 afterwards are decoded as Latin-1.
func DecodeQuotedPrintable(text string) string {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '=' {
			out = append(out, text[i])
			continue
		}
		rest := text[i+1:]
		switch {
		case strings.HasPrefix(rest, "\r\n"):
			i += 2
		case strings.HasPrefix(rest, "\n"):
			i++
		case len(rest) >= 2 && isHex(rest[0]) && isHex(rest[1]):
			out = append(out, hexValue(rest[0])<<4|hexValue(rest[1]))
			i += 2
		default:
			out = append(out, '=')
		}
	}
	return validText(out)
}

// validText returns bytes as text. Bytes that are not UTF-8 are decoded as Latin-1, the other usual character set of
// quoted-printable mail.
func validText(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b) + len(b)/8)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			r = rune(b[0])
		}
		out.WriteRune(r)
		b = b[n:]
	}
	return out.String()
}

// decodeEntities decodes HTML entities that end in a semicolon; "&copy=1" has none and is a parameter of a link. If the
// first pass leaves "&amp;", it decodes a second time.
func decodeEntities(text string) string {
	for range 2 {
		if !strings.Contains(text, "&") || !strings.Contains(text, ";") {
			return text
		}
		text = decodeEntitiesOnce(text)
		if !strings.Contains(text, "&amp;") {
			return text
		}
	}
	return text
}

func decodeEntitiesOnce(text string) string {
	const longest = 32 // the longest named entity has 31 letters
	var out strings.Builder
	out.Grow(len(text))
	for {
		i := strings.IndexByte(text, '&')
		if i < 0 {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:i])
		text = text[i:]
		n := entityLength(text[:min(len(text), longest+2)])
		if n == 0 {
			n = 1
			out.WriteByte('&')
		} else {
			out.WriteString(html.UnescapeString(text[:n]))
		}
		text = text[n:]
	}
}

// entityLength returns the length of the entity, "&name;" or "&#…;", at the start of s, or 0 if there is none. s must
// begin with "&".
func entityLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == ';' && i > 1:
			return i + 1
		case c == '#' && i == 1, c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		default:
			return 0
		}
	}
	return 0
}

func dropInvisible(text string) string {
	const invisible = "\u200b\u2060\ufeff\u00ad"
	if !strings.ContainsAny(text, invisible) {
		return text
	}
	return strings.NewReplacer("\u200b", "", "\u2060", "", "\ufeff", "", "\u00ad", "").Replace(text)
}
