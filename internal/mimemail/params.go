package mimemail

import (
	"net/textproto"
	"strconv"
	"strings"
)

// fileNameIn returns the file name in the header of a part, or "".
func fileNameIn(header textproto.MIMEHeader) string {
	disposition, kind := readParams(header.Get("Content-Disposition")), readParams(header.Get("Content-Type"))
	for _, name := range []string{
		disposition.value("filename"), disposition.value("name"), kind.value("name"), kind.value("file"),
		kind.value("filename"),
	} {
		if name = strings.TrimSpace(name); name != "" {
			return name
		}
	}
	return ""
}

// params are the parameters of a header as they were sent, by their names in lower case. If a name occurs more than
// once, its first value is kept.
type params map[string]string

// readParams reads the parameters after the first semicolon of a header, in the first maxMediaType bytes. It accepts
// spaces in unquoted values. A backslash escapes only quotes and itself, since file names may be paths of Windows.
func readParams(header string) params {
	found := params{}
	_, rest, _ := strings.Cut(firstOf(header, maxMediaType), ";")
	for rest != "" {
		var name, value string
		name, rest, _ = strings.Cut(rest, "=")
		name = strings.ToLower(strings.Trim(name, "; \t\r\n"))
		rest = strings.TrimLeft(rest, " \t\r\n")
		if strings.HasPrefix(rest, `"`) {
			value, rest = cutQuoted(rest[1:])
			_, rest, _ = strings.Cut(rest, ";")
		} else {
			value, rest, _ = strings.Cut(rest, ";")
			value = strings.TrimSpace(value)
		}
		if _, taken := found[name]; !taken {
			found[name] = value
		}
	}
	return found
}

func cutQuoted(text string) (value, rest string) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return out.String(), text[i+1:]
		case c == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			out.WriteByte(text[i])
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), ""
}

// has reports whether there is a parameter of this name, whole or in pieces.
func (p params) has(name string) bool {
	for _, form := range []string{name, name + "*", name + "*0", name + "*0*"} {
		if _, found := p[form]; found {
			return true
		}
	}
	return false
}

// value returns a parameter as text; "" if there is none. The parameter may be in up to maxSegments pieces, in a
// charset of its own (RFC 2231), or in encoded words, which RFC 2047 forbids there.
func (p params) value(name string) string {
	if whole, found := p[name+"*"]; found {
		return decodeExtended(whole)
	}
	if plain, found := p[name]; found {
		return decodeWords(plain)
	}
	var joined strings.Builder
	extended := false
	for i := range maxSegments {
		piece := name + "*" + strconv.Itoa(i)
		if encoded, found := p[piece+"*"]; found {
			extended = extended || i == 0
			joined.WriteString(encoded)
			continue
		}
		plain, found := p[piece]
		if !found {
			break
		}
		if extended {
			plain = strings.ReplaceAll(plain, "%", "%25")
		}
		joined.WriteString(plain)
	}
	if extended {
		return decodeExtended(joined.String())
	}
	return decodeWords(joined.String())
}

// decodeExtended decodes a value that may begin with its charset and language (RFC 2231).
func decodeExtended(value string) string {
	parts := strings.SplitN(value, "'", 3)
	if len(parts) < 3 {
		return decodeWords(string(percentDecode(value, '%')))
	}
	bytes := percentDecode(parts[2], '%')
	text, known := decodeCharset(bytes, parts[0])
	if !known {
		text, _ = readable(bytes, "")
	}
	return decodeWords(text)
}
