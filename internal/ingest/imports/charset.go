package imports

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	utf "golang.org/x/text/encoding/unicode"
)

// fromUTF16 returns a reader that converts a UTF-16 file, with or without a byte order mark, to UTF-8. If the file is
// not UTF-16, it returns in itself. The error is that of reading the beginning.
func fromUTF16(in *bufio.Reader) (*bufio.Reader, error) {
	head, err := beginning(in)
	if len(head) == 0 && !errors.Is(err, io.EOF) {
		return nil, err
	}
	order, found := utf.LittleEndian, false
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		found = true
	case mostlyNUL(head, 1):
		found = true
	case mostlyNUL(head, 0):
		order, found = utf.BigEndian, true
	}
	if !found {
		return in, nil
	}
	return bufio.NewReaderSize(utf.UTF16(order, utf.UseBOM).NewDecoder().Reader(in), bufferSize), nil
}

// mostlyNUL reports whether a text looks like UTF-16 with mostly ASCII characters: of every second byte, counted from
// index first, three of four are NUL, and no other byte is.
func mostlyNUL(text []byte, first int) bool {
	count, others := 0, 0
	for i, c := range text {
		switch {
		case c != 0:
		case i%2 == first:
			count++
		default:
			others++
		}
	}
	return others == 0 && count > 1 && count >= len(text)/2*3/4
}

// fromWindows1252 converts a row from Windows-1252 to UTF-8, and reports whether the row looks like Windows-1252. It
// reports false for text that, read as Windows-1252, has long runs of letters beyond ASCII, undefined characters, or
// symbols inside of words: it has another charset or is damaged UTF-8.
func fromWindows1252(raw []byte) ([]byte, bool) {
	if damagedUTF8(raw) {
		return nil, false
	}
	var out bytes.Buffer
	run := 0
	for i, c := range raw {
		if c < utf8.RuneSelf {
			run = 0
			out.WriteByte(c)
			continue
		}
		r := charmap.Windows1252.DecodeByte(c)
		run++
		if r == utf8.RuneError || r >= 0x80 && r < 0xa0 || run > 3 || isSign(r) && between(raw, i) {
			return nil, false
		}
		out.WriteRune(r)
	}
	return out.Bytes(), true
}

// damagedUTF8 reports whether a text has more valid UTF-8 sequences beyond ASCII than invalid bytes.
func damagedUTF8(raw []byte) bool {
	right := 0
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		switch {
		case size > 1:
			right++
		case r == utf8.RuneError:
			right--
		}
		raw = raw[size:]
	}
	return right > 0
}

// isSign reports whether a character of Windows-1252, such as "¤", does not occur in words of Western languages. In
// another charset its byte is a letter.
func isSign(r rune) bool {
	return !unicode.IsLetter(r) && !strings.ContainsRune("‘’“”´–—·…\u00a0\u00ad€™®«»", r)
}

// between reports whether the byte at this index is between two ASCII letters.
func between(raw []byte, at int) bool {
	return at > 0 && at+1 < len(raw) && isASCIILetter(raw[at-1]) && isASCIILetter(raw[at+1])
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
