package mimemail

import (
	"bytes"
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/cention-sany/utf7"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// isOurs reports whether text of this charset is decoded by readable, and not by the MIME library: the library decodes
// it wrongly, or many mails name it although their text has another charset, as with "us-ascii".
func isOurs(name string) bool {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "us-ascii", "ascii", "ansi_x3.4-1968", "none", "unknown", "unknown-8bit", "x-unknown", "8bit", "7bit", "binary",
		"default", "_charset_",
		"utf-16", "iso-2022-cn", "iso-2022-cn-ext", "utf-8", "utf8":
		return true
	}
	return isWestern(name)
}

// isWestern reports whether a charset is Windows-1252, or ISO-8859-1, which is decoded as Windows-1252. Some programs
// give these names to UTF-8; text in Windows-1252 that is not ASCII is hardly ever valid UTF-8.
func isWestern(name string) bool {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1", "l1", "windows-1252", "cp1252", "cp-1252":
		return true
	}
	return false
}

// readable returns, in UTF-8, text whose charset is not named, or is one for which isOurs reports true. declared is the
// charset that the mail names, or "". The second result reports whether readable had to guess.
func readable(text []byte, declared string) (string, bool) {
	if strings.EqualFold(strings.TrimSpace(declared), "utf-16") || bytes.HasPrefix(text, []byte("\xFE\xFF")) ||
		bytes.HasPrefix(text, []byte("\xFF\xFE")) {
		if decoded, err := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder().Bytes(text); err == nil {
			return string(decoded), false
		}
	}
	text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
	western := isWestern(declared)
	if utf8.Valid(text) {
		return string(text), western && !isASCII(text)
	}
	if !western && mostlyUTF8(text) {
		return strings.ToValidUTF8(string(text), "\uFFFD"), true
	}
	decoded, err := charmap.Windows1252.NewDecoder().Bytes(text)
	if err != nil {
		return strings.ToValidUTF8(string(text), "\uFFFD"), true
	}
	return string(decoded), !western
}

func isASCII(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// mostlyUTF8 reports whether text is probably UTF-8 that was cut or damaged, and not text of another charset: whether
// it has more characters beyond ASCII than bytes that are invalid in UTF-8.
func mostlyUTF8(text []byte) bool {
	right, wrong := 0, 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			wrong++
		case size > 1:
			right++
		}
		text = text[size:]
	}
	return right > wrong
}

// renamed returns the standard name of a charset that mails also call by another name, or that the library decodes
// wrongly; "" for any other.
func renamed(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	switch name {
	case "cp437", "ibm437":
		return "ibm437"
	case "koi8r":
		return "koi8-r"
	case "mac-roman", "macroman":
		return "macintosh"
	case "utf16", "utf_16":
		return "utf-16"
	case "win-1251", "windows1251", "cp-1251", "windows_1251":
		return "windows-1251"
	case "unicode-1-1-utf-7":
		return "utf-7"
	case "cp65001", "utf-8-sig", "utf_8", "unicode-1-1-utf-8", "x-unicode-2-0-utf-8":
		return "utf-8"
	}
	return renamedAsian(name)
}

// renamedAsian is renamed for the charsets of eastern Asia. The name must be in lower case, without space around it.
func renamedAsian(name string) string {
	switch name {
	case "cp932", "cp943", "shiftjis", "s-jis", "s_jis":
		return "shift_jis"
	case "iso-2022-jp-1", "iso-2022-jp-2", "iso-2022-jp-3", "iso-2022-jp-ms", "cp50220", "cp50221", "cp50222",
		"iso2022-jp", "iso2022jp":
		return "iso-2022-jp"
	case "eucjp", "euc_jp", "ujis":
		return "euc-jp"
	case iso2022KR, "csiso2022kr", "iso2022-kr", "iso2022kr":
		return iso2022KR
	case "cp949", "ms949", "uhc", "x-windows-949", "euckr", "euc_kr", "ks-c-5601", "ks-c-5601-1987", "ks_c_5601_1987":
		return "euc-kr"
	case "cp950", "ms950", "x-big5":
		return "big5"
	case "cp936", "ms936":
		return "gbk"
	case "hz-gb-2312", "hz":
		return "hz-gb-2312"
	case "tis620":
		return "tis-620"
	}
	return ""
}

// text returns the content of a part in UTF-8, and reports whether its charset had to be guessed.
func (p *part) text() (text string, guessed bool) {
	if renamed(p.charset) != "" {
		text, _ = decodeCharset(p.Content, p.charset)
		return text, false
	}
	return readable(p.Content, p.charset)
}

// decodeCharset returns text of the charset called name in UTF-8, or "" and false if it does not know the charset. It
// decodes as readable does if name is "", if isOurs reports true for the standard name of the charset, or if the
// decoder fails. Text that is said to be ISO-2022-KR, but is UTF-8 and not ASCII, is returned unchanged. In any other
// case, bytes that are invalid in the charset become U+FFFD.
func decodeCharset(text []byte, name string) (string, bool) {
	name = cmp.Or(renamed(name), strings.ToLower(strings.TrimSpace(name)))
	if name == "" || isOurs(name) {
		decoded, _ := readable(text, name)
		return decoded, true
	}
	if name == iso2022KR {
		if utf8.Valid(text) && !isASCII(text) {
			return string(text), true
		}
		text, name = fromISO2022KR(text), "euc-kr"
	}
	from := lookUp(name)
	if from == nil {
		return "", false
	}
	decoded, err := from.NewDecoder().Bytes(text)
	if err != nil {
		guessed, _ := readable(text, "")
		return guessed, true
	}
	return string(decoded), true
}

const iso2022KR = "iso-2022-kr"

// fromISO2022KR returns, in EUC-KR, text in ISO-2022-KR (RFC 1557), which has the same characters in seven bits: those
// between the control characters SO and SI, or SO and the end of the line.
func fromISO2022KR(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("\x1B$)C"), nil)
	eight := make([]byte, 0, len(text))
	shifted := false
	for _, char := range text {
		switch {
		case char == '\x0E', char == '\x0F':
			shifted = char == '\x0E'
			continue
		case char == '\n':
			shifted = false
		case shifted && char > ' ' && char < '\x7F':
			char |= 0x80
		}
		eight = append(eight, char)
	}
	return eight
}

// lookUp returns the encoding of this name, which must be in lower case, or nil if it is unknown.
func lookUp(name string) encoding.Encoding {
	switch name {
	case "utf-7", "utf7", "unicode-1-1-utf-7":
		return utf7.UTF7
	case "hz-gb-2312":
		return simplifiedchinese.HZGB2312
	}
	if found, _ := charset.Lookup(name); found != nil {
		return found
	}
	if found, err := ianaindex.IANA.Encoding(name); err == nil && found != nil {
		return found
	}
	return nil
}
