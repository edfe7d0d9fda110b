package mimemail

import (
	"strconv"
	"strings"
)

// takeUuencoded returns a text without the files that are uuencoded in it, and adds these files to the message. It
// leaves text that cutUuencoded does not decode.
func (r *reader) takeUuencoded(text string) string {
	var kept strings.Builder
	for {
		begin := uuBegin(text)
		if begin < 0 {
			break
		}
		name, content, rest, found := cutUuencoded(text[begin:])
		if !found {
			next := begin + len("begin ")
			kept.WriteString(text[:next])
			text = text[next:]
			continue
		}
		kept.WriteString(text[:begin])
		r.addFile(decodeWords(name), "", content)
		text = rest
	}
	if kept.Len() == 0 {
		return text
	}
	kept.WriteString(text)
	return kept.String()
}

// uuBegin returns the index of the first line that begins with "begin ", or -1.
func uuBegin(text string) int {
	if strings.HasPrefix(text, "begin ") {
		return 0
	}
	if at := strings.Index(text, "\nbegin "); at >= 0 {
		return at + 1
	}
	return -1
}

// cutUuencoded decodes the uuencoded file at the beginning of a text. It returns the file and the text after its "end"
// line. It reports false if the first line is not "begin", a mode and a name; if there is no "end" line; if the file is
// empty; or if a line before "end" is too long or has a character that uuencoding does not use. Ordinary text after a
// line such as "begin 644 x" is therefore not decoded.
func cutUuencoded(text string) (name string, content []byte, rest string, found bool) {
	head, rest := cutLine(text)
	fields := strings.SplitN(head, " ", 3)
	if len(fields) < 3 {
		return "", nil, "", false
	}
	if mode, err := strconv.ParseUint(fields[1], 8, 16); err != nil || mode > 0o7777 || len(fields[1]) < 3 {
		return "", nil, "", false
	}
	for rest != "" {
		var line string
		line, rest = cutLine(rest)
		if line == "end" {
			return fields[2], content, rest, len(content) > 0
		}
		decoded, right := uuLine(line)
		if !right {
			break
		}
		content = append(content, decoded...)
	}
	return "", nil, "", false
}

func cutLine(text string) (line, rest string) {
	line, rest, _ = strings.Cut(text, "\n")
	return strings.TrimRight(line, "\r"), rest
}

// uuLine decodes one line. Spaces at its end may be missing. It reports false if the line is not uuencoded.
func uuLine(line string) ([]byte, bool) {
	if line == "" {
		return nil, true
	}
	size := int(line[0]-' ') & 0x3f
	body := line[1:]
	if most := (size+2)/3*4 + 4; line[0] < ' ' || line[0] > '`' || len(body) > most { // some programs add a checksum
		return nil, false
	}
	out := make([]byte, 0, size+3)
	for at := 0; len(out) < size; at += 4 {
		var four [4]byte
		for i := range four {
			if at+i < len(body) {
				if body[at+i] < ' ' || body[at+i] > '`' {
					return nil, false
				}
				four[i] = (body[at+i] - ' ') & 0x3f
			}
		}
		out = append(out, four[0]<<2|four[1]>>4, four[1]<<4|four[2]>>2, four[2]<<6|four[3])
	}
	return out[:size], true
}
