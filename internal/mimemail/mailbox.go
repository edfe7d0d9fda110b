package mimemail

import (
	"bytes"
	"slices"
)

// unwrapMailbox takes away what a mailbox file puts around a message: the "From " line before it, and what stands in its way as carriage returns
// alone, as line ends of old systems, or as a byte order mark.
func unwrapMailbox(raw []byte) []byte {
	text := bytes.TrimPrefix(raw, []byte("\xEF\xBB\xBF"))
	text = bytes.TrimLeft(text, "\r\n")
	if !bytes.Contains(text, []byte("\n")) && bytes.Contains(text, []byte("\r")) {
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	}
	text = endHead(fromHeader(text))
	if end := headEnd(text); bytes.IndexByte(text[:end], 0) >= 0 {
		text = append(bytes.ReplaceAll(text[:end], []byte{0}, nil), text[end:]...)
	}
	return text
}

// fromHeader leaves out what stands before the first line of the header. Where there is none, all of it is a body.
func fromHeader(text []byte) []byte {
	head := text[:min(len(text), headEnd(text), maxHead)]
	for at := 0; at < len(head); {
		if isField(head[at:]) {
			return text[at:]
		}
		next := bytes.IndexByte(head[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return append([]byte("\n"), text...)
}

// endHead returns the text with the blank line that ends its header, where that line holds white space.
func endHead(text []byte) []byte {
	end := min(len(text), headEnd(text), maxHead)
	for at := 0; at < end; {
		next := at + lineLength(text[at:end])
		line := text[at:next]
		if len(bytes.TrimSpace(line)) == 0 && next < end && !bytes.ContainsAny(text[next:next+1], " \t") && !isField(text[next:end]) {
			return slices.Concat(text[:at], []byte("\n"), text[next:])
		}
		at = next
	}
	return text
}

// isField reports whether a text begins with the name of a header and a colon.
func isField(text []byte) bool {
	name, _, found := bytes.Cut(text, []byte(":"))
	return found && len(name) > 0 && !bytes.ContainsFunc(bytes.TrimRight(name, " \t"), notInName)
}

// notInName tells what does not stand in the name of a header.
func notInName(r rune) bool { return r <= ' ' || r > '~' || r == '(' || r == ')' || r == '"' }

// headEnd is where the header ends: behind its last line.
func headEnd(text []byte) int {
	for at := 0; at < len(text); {
		line := bytes.IndexByte(text[at:], '\n')
		if line < 0 {
			return len(text)
		}
		if len(bytes.TrimRight(text[at:at+line], "\r")) == 0 {
			return at
		}
		at += line + 1
	}
	return len(text)
}
