package mimemail

import (
	"bytes"
	"slices"
	"strings"
)

// unwrapMailbox returns a message without the "From " line that a mailbox file adds before it, without a byte order
// mark, and without NUL characters in its header. If the message has no line feed, its carriage returns become line
// feeds. It also repairs headers: see fromHeader, endHead, splitHead and joinHead. It does not change raw.
func unwrapMailbox(raw []byte) []byte {
	text := bytes.TrimPrefix(raw, []byte("\xEF\xBB\xBF"))
	text = bytes.TrimLeft(text, "\r\n")
	if !bytes.Contains(text, []byte("\n")) && bytes.Contains(text, []byte("\r")) {
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	}
	text = joinHead(splitHead(endHead(fromHeader(text))))
	if end := headEnd(text); bytes.IndexByte(text[:end], 0) >= 0 {
		text = append(bytes.ReplaceAll(text[:end], []byte{0}, nil), text[end:]...)
	}
	return text
}

// fromHeader returns the text from the first line of its header on. If there is no header, it returns the text with a
// blank line before it, so that all of it is the body.
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

// endHead returns the text with an empty line in place of a line of white space that ends its header.
func endHead(text []byte) []byte {
	end := min(len(text), headEnd(text), maxHead)
	for at := 0; at < end; {
		next := at + lineLength(text[at:end])
		line := text[at:next]
		if len(bytes.TrimSpace(line)) == 0 && next < end && !bytes.ContainsAny(text[next:next+1], " \t") &&
			!isField(text[next:end]) {
			return slices.Concat(text[:at], []byte("\n"), text[next:])
		}
		at = next
	}
	return text
}

// splitHead returns the text with the blank line that it lacks between header and body: before the first line that is
// neither a header nor indented. It returns the text unchanged if a known header follows that line, which is then a
// part of a header that lost its indent, or if a line of the header begins with "--" or names the encoding base64.
func splitHead(text []byte) []byte {
	end := headEnd(text)
	if end > maxHead {
		return text
	}
	split := end
	for at := 0; at < end; {
		next := at + lineLength(text[at:end])
		line := text[at:next]
		switch {
		case split < end && isKnownField(line), bytes.HasPrefix(line, []byte("--")), isEncoding(line, "base64"):
			return text
		case split == end && !isField(line) && !bytes.ContainsAny(line[:1], " \t"):
			split = at
		}
		at = next
	}
	if split == end {
		return text
	}
	return slices.Concat(text[:split], []byte("\n"), text[split:])
}

// isKnownField reports whether a line is a header that most mails have, and that ordinary texts rarely contain.
func isKnownField(line []byte) bool {
	return isField(line) && slices.ContainsFunc([]string{
		"From:", "To:", "Cc:", "Subject:", "Date:", "Message-ID:", "MIME-Version:", "Content-", "Received:", "Return-Path:",
		"Reply-To:", "Delivered-To:", "X-",
	}, func(name string) bool { return hasPrefixFold(line, name) })
}

// isEncoding reports whether a line is the header that names this encoding of the content.
func isEncoding(line []byte, name string) bool {
	header, value, found := bytes.Cut(line, []byte(":"))
	return found && strings.EqualFold(string(header), "Content-Transfer-Encoding") &&
		strings.EqualFold(string(bytes.TrimSpace(value)), name)
}

// joinHead removes the blank line that ends the header if it puts the last lines of the header into the body: if the
// header has no Content-Type, and the lines after the blank line, up to the next one, are headers, of which the first
// is Content-Type or MIME-Version.
func joinHead(text []byte) []byte {
	end := min(len(text), headEnd(text), maxHead)
	body := bytes.TrimLeft(text[end:], "\r\n")
	if !hasPrefixFold(body, "Content-Type:") && !hasPrefixFold(body, "MIME-Version:") || hasType(text[:end]) {
		return text
	}
	for line := range bytes.Lines(body[:min(len(body), headEnd(body), maxHead)]) {
		if !isField(line) && !bytes.ContainsAny(line[:1], " \t") {
			return text
		}
	}
	return slices.Concat(text[:end], body)
}

func hasType(head []byte) bool {
	for line := range bytes.Lines(head) {
		if hasPrefixFold(line, "Content-Type:") {
			return true
		}
	}
	return false
}

func hasPrefixFold(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(string(text[:len(prefix)]), prefix)
}

// isField reports whether a text begins with what can be the name of a header, and a colon. White space may be between
// the two.
func isField(text []byte) bool {
	name, _, found := bytes.Cut(text, []byte(":"))
	return found && len(name) > 0 && !bytes.ContainsFunc(bytes.TrimRight(name, " \t"), notInName)
}

// notInName reports whether a character must not be in the name of a header.
func notInName(r rune) bool { return r <= ' ' || r > '~' || r == '(' || r == ')' || r == '"' }

// headEnd returns the index of the blank line that ends the header, or the length of the text if there is none.
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
