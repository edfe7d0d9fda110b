package agents

import (
	"encoding/json"
	"strings"
	"unicode"
)

// The largest numbers of characters of a text in an answer.
const (
	lineSize    = 300  // of a name, a title or an address
	quoteSize   = 600  // of a quote, or of the beginning of a record
	summarySize = 2000 // of a summary
	openingSize = 4000 // of the pitch and the notes of a company
	partSize    = 8000 // of a text that is read in parts
)

// part is a piece of a text that people outside the team may have written.
type part struct {
	Text       string `json:"text"`
	Length     int    `json:"length" jsonschema:"of the whole text, in characters"`
	NextOffset *int   `json:"next_offset" jsonschema:"where read_text goes on; null at the end"`
}

// partOf returns at most size characters of clean(text), from the character at offset, with the length of clean(text)
// and the offset of the next part. If offset is beyond the end, the part is empty; a negative offset counts as 0.
func partOf(text string, offset, size int) part {
	characters := []rune(clean(text))
	from := min(max(offset, 0), len(characters))
	to := min(from+size, len(characters))
	found := part{Text: string(characters[from:to]), Length: len(characters)}
	if to < len(characters) {
		found.NextOffset = &to
	}
	return found
}

// cut returns the first size characters of clean(text), and "…" after them if there are more.
func cut(text string, size int) string {
	begin := partOf(text, 0, size)
	if begin.NextOffset != nil {
		begin.Text += "…"
	}
	return begin.Text
}

// clean returns the text without characters that people do not see but models read: control characters other than line
// feeds and tabs, changes of the direction of writing, characters without width that no script needs, and the tags and
// variation selectors of Unicode beyond U+E0000, which can hide whole sentences.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r >= 0xE0000 && r <= 0xE0FFF, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F,
			r == 0x200B, r == 0xFEFF:
			return -1
		}
		return r
	}, text)
}

// lines returns the first most texts, each cut to lineSize characters. It never returns nil.
func lines(texts []string, most int) []string {
	begun := []string{}
	for _, text := range texts[:min(len(texts), most)] {
		begun = append(begun, cut(text, lineSize))
	}
	return begun
}

// deref returns *text, or "" if text is nil.
func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// textOfJSON returns a string as it is, "" for nil, and any other value encoded as JSON.
func textOfJSON(value any) string {
	text, isText := value.(string)
	if isText || value == nil {
		return text
	}
	encoded, _ := json.Marshal(value) // it was JSON before
	return string(encoded)
}
