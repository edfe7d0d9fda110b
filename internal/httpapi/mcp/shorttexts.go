package mcp

import (
	"bytes"
	"unicode/utf8"
)

// listedText is how many bytes of a text in the rows of a list are kept. The tools show fewer.
const listedText = 4 << 10

// shortTexts is an io.Writer that stores JSON, but at most about listedText bytes of each text in it; it cuts neither
// characters nor escapes. A list of rows with large texts is cut while it is written, since tools show only how texts
// begin.
type shortTexts struct {
	kept bytes.Buffer

	inText bool
	size   int  // bytes of the text so far
	escape int  // bytes of an escape that are still to come
	hex    bool // these are the digits of \u
	cut    bool
}

// Write implements io.Writer.
func (s *shortTexts) Write(p []byte) (int, error) {
	for _, b := range p {
		if s.keeps(b) {
			_ = s.kept.WriteByte(b)
		}
	}
	return len(p), nil
}

func (s *shortTexts) keeps(b byte) bool {
	switch {
	case !s.inText:
		s.inText, s.size, s.cut = b == '"', 0, false
		return true
	case s.escape > 0:
		if s.escape--; b == 'u' && s.escape == 0 && !s.hex {
			s.escape, s.hex = 4, true
		}
		s.size++
		return !s.cut
	case b == '"':
		s.inText = false
		return true
	}
	s.cut = s.cut || s.size >= listedText && utf8.RuneStart(b) // not inside of a character or an escape
	s.size++
	if s.hex = false; b == '\\' {
		s.escape = 1
	}
	return !s.cut
}
