package wire

import (
	"bytes"
	"encoding/json"
	"slices"
)

// WithoutContacts returns a company's metadata without the members phone and background of its founders. The members of
// the metadata and of each founder are in the order of their names. If founders is missing, empty or not an array, it
// returns the metadata unchanged. Founders that are not objects stay. The metadata must be JSON. The function cuts the
// text instead of decoding it, since a list calls it for each row.
func WithoutContacts(metadata json.RawMessage) json.RawMessage {
	var room [16]piece
	members, changed := membersOf(room[:0], metadata), false
	for i, m := range members { // Postgres writes no name twice, but contacts must not depend on that
		if string(m.name) == "founders" && bytes.HasPrefix(m.value, []byte("[")) {
			members[i].value = showFounders(m.value)
			changed = changed || string(members[i].value) != "[]"
		}
	}
	if !changed {
		return metadata
	}
	return appendObject(make([]byte, 0, len(metadata)), members)
}

// showFounders returns a JSON array of founders without their phones and backgrounds.
func showFounders(array []byte) []byte {
	var room [16]piece
	out := append(make([]byte, 0, len(array)), '[')
	for part, rest := cutPart(array[1:]); len(part) > 0; part, rest = cutPart(rest) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		if part[0] != '{' {
			out = append(out, part...)
			continue
		}
		out = appendObject(out, slices.DeleteFunc(membersOf(room[:0], part), func(m piece) bool {
			return string(m.name) == "phone" || string(m.name) == "background"
		}))
	}
	return append(out, ']')
}

// piece is a member of a JSON object: its name, and its value exactly as in the object.
type piece struct{ name, value []byte }

// membersOf appends the members of a JSON object to members, in the order of their names. It appends nothing for a
// value that is not an object.
func membersOf(members []piece, object []byte) []piece {
	object = bytes.TrimSpace(object)
	if len(object) == 0 || object[0] != '{' {
		return members
	}
	for part, rest := cutPart(object[1:]); len(part) > 0; part, rest = cutPart(rest) {
		end := endOfText(part)
		_, value, _ := bytes.Cut(part[end:], []byte(":"))
		members = append(members, piece{name: nameOf(part[:end]), value: bytes.TrimSpace(value)})
	}
	slices.SortFunc(members, func(a, b piece) int { return bytes.Compare(a.name, b.name) })
	return members
}

// cutPart returns the first member or element of text without the white space around it, and the text after its comma.
// text must follow an opening bracket or a comma. If there are no more members or elements, part is empty.
func cutPart(text []byte) (part, rest []byte) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i += endOfText(text[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return bytes.TrimSpace(text[:i]), nil
			}
			depth--
		case ',':
			if depth == 0 {
				return bytes.TrimSpace(text[:i]), text[i+1:]
			}
		}
	}
	return nil, nil
}

// endOfText returns the length of the JSON string that text begins with, with both quotes; len(text) if it has no end.
func endOfText(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// nameOf returns the text of a JSON string, without its quotes and escapes.
func nameOf(quoted []byte) []byte {
	var name string
	if bytes.IndexByte(quoted, '\\') < 0 || json.Unmarshal(quoted, &name) != nil {
		return quoted[1 : len(quoted)-1]
	}
	return []byte(name)
}

func appendObject(out []byte, members []piece) []byte {
	out = append(out, '{')
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendName(out, m.name), ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

func appendName(out, name []byte) []byte {
	for _, c := range name {
		if c < ' ' || c == '"' || c == '\\' || c >= 0x80 {
			return append(out, encode(string(name))...)
		}
	}
	return append(append(append(out, '"'), name...), '"')
}

// encode encodes a value. It is for values that cannot fail, such as texts.
func encode(parts any) json.RawMessage {
	encoded, _ := Encode(parts)
	return encoded
}

// SearchText returns the strings in a company's metadata, without the white space around them and joined by spaces, in
// the order of the names of the members. It leaves out names, numbers, true, false and null. The metadata must be valid
// JSON.
func SearchText(metadata json.RawMessage) string {
	return string(appendTexts(nil, bytes.TrimSpace(metadata)))
}

// appendTexts appends the strings of a JSON value without the white space around them, with a space between them. It
// leaves out empty strings.
func appendTexts(out, value []byte) []byte {
	if len(value) == 0 {
		return out
	}
	switch value[0] {
	case '"':
		if text := bytes.TrimSpace(nameOf(value)); len(text) > 0 {
			if len(out) > 0 {
				out = append(out, ' ')
			}
			out = append(out, text...)
		}
	case '[':
		for part, rest := cutPart(value[1:]); len(part) > 0; part, rest = cutPart(rest) {
			out = appendTexts(out, part)
		}
	case '{':
		var room [16]piece
		for _, m := range membersOf(room[:0], value) {
			out = appendTexts(out, m.value)
		}
	}
	return out
}
