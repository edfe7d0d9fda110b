package mimemail

import (
	"bytes"
	"cmp"
	"net/textproto"
	"strings"

	"github.com/jhillyerd/enmime/v2"
)

// isBody reports whether a part is text for the content of the mail, and not a file: text that is neither an attachment
// nor has a file name. Plain text and HTML may have a file name if they are inline.
func (p *part) isBody() bool {
	if p.Disposition == "attachment" || (p.FileName != "" && p.Disposition != "inline") {
		return false
	}
	switch p.media {
	case "text/plain", "text/html":
		return true
	case "text/enriched", "text/richtext", "text/markdown", "text/x-markdown":
		return p.FileName == ""
	}
	return false
}

// readBody reads the tree of parts. Text parts become the content, and all other parts become files. If the text parts
// have no text, the content is the text of the messages within the message. A warning says if the message is encrypted.
func (r *reader) readBody(root *part) {
	if root.Disposition == "" && (root.media == "text/plain" || root.media == "text/html") {
		root.FileName = "" // some programs name the text of a message
	}
	r.message.Content = joinPieces(r.read(root))
	if r.message.Content == "" {
		r.message.Content = joinPieces(r.forwarded)
	}
	r.noteEncryption(root)
}

// read returns the texts of a part and of the parts in it, in their order, and adds their files to the message.
func (r *reader) read(p *part) []string {
	r.noteProblems(p)
	switch {
	case len(p.children) == 0:
		return r.readLeaf(p)
	case p.media == "multipart/alternative":
		return r.readAlternatives(p)
	}
	var pieces []string
	for _, child := range p.children {
		pieces = append(pieces, r.read(child)...)
	}
	return pieces
}

// readAlternatives returns the first alternative in plain text that is not empty, or else the first alternative with
// text. It keeps the files of all alternatives.
func (r *reader) readAlternatives(p *part) []string {
	var plain, other []string
	for _, child := range p.children {
		pieces := r.read(child)
		said := joinPieces(pieces) != ""
		switch {
		case said && plain == nil && child.media == "text/plain":
			plain = pieces
		case said && other == nil:
			other = pieces
		}
	}
	if plain != nil {
		return plain
	}
	return other
}

func (r *reader) readLeaf(p *part) []string {
	if !p.isBody() {
		r.attach(p)
		return nil
	}
	text, guessed := p.text()
	if guessed {
		r.warn("some of its text is not in the charset that it names (%s)", brief(cmp.Or(p.charset, "none")))
	}
	text = r.takeUuencoded(storable(text))
	switch {
	case p.media == "text/html":
		return []string{HTMLText(text)}
	case p.flowed:
		return []string{unflow(text, p.delSp)}
	}
	return []string{text}
}

// attach adds a part as a file, and reads a message within the message, unless it is deeper than maxForwarded. Such a
// message without a name is named by its subject, any other file without a name by its kind.
func (r *reader) attach(p *part) {
	name := p.FileName
	if name == "" && p.media == "message/rfc822" {
		name = innerSubject(p.Content)
	}
	r.addFile(name, p.media, p.Content)
	if p.media == "message/rfc822" && r.depth < maxForwarded {
		r.readForwarded(p.Content)
	}
	if p.media == "application/ms-tnef" || strings.EqualFold(p.FileName, "winmail.dat") {
		r.warn("what is in its winmail.dat (Outlook's own format) was not read; the file is attached")
	}
}

// readForwarded adds the files of a message within a message. It keeps the text too, after lines with From, Date and
// Subject; it is used only if the outer message has none. A message that cannot be parsed is kept only as a file.
// Warnings about the inner message are dropped.
func (r *reader) readForwarded(content []byte) {
	inner := &reader{depth: r.depth + 1, message: Message{Files: r.message.Files}}
	root, err := inner.split(unwrapMailbox(content))
	if err != nil {
		return // it is kept as a file
	}
	inner.readBody(root)
	r.message.Files = inner.message.Files
	var head []string
	for _, name := range []string{"From", "Date", "Subject"} {
		if value := oneLine(decodeWords(root.Header.Get(name))); value != "" {
			head = append(head, name+": "+value)
		}
	}
	r.forwarded = append(r.forwarded, strings.Join(head, "\n"), inner.message.Content)
}

func (r *reader) addFile(name, media string, content []byte) {
	number := len(r.message.Files) + 1
	r.message.Files = append(r.message.Files,
		File{Filename: fileName(name, media, content, number), ContentType: mediaOf(media, content), Content: content})
}

// innerSubject returns a file name for a message within a message: its subject and ".eml", or "" if it has no subject.
func innerSubject(content []byte) string {
	for line := range bytes.Lines(content[:min(len(content), headEnd(content), maxHead)]) {
		name, value, found := bytes.Cut(line, []byte(":"))
		if found && textproto.CanonicalMIMEHeaderKey(string(name)) == "Subject" {
			if subject := strings.TrimSpace(decodeWords(string(value))); subject != "" {
				return strings.NewReplacer("/", "-", `\`, "-").Replace(subject) + ".eml"
			}
		}
	}
	return ""
}

func (r *reader) noteEncryption(root *part) {
	switch {
	case root.media == "multipart/encrypted":
		r.warn("it is encrypted; what it says is in its attachments")
	case strings.HasSuffix(root.media, "pkcs7-mime") &&
		strings.Contains(strings.ToLower(root.Header.Get("Content-Type")), "signed-data"):
		r.warn("it is signed in a form that hides its text (S/MIME); the text is in its attachment")
	case strings.HasSuffix(root.media, "pkcs7-mime"):
		r.warn("it is encrypted (S/MIME); what it says is in its attachment")
	}
}

// noteProblems adds a warning for each error of the library in a part, except for a missing Content-Type, text that was
// converted from HTML, and a wrong charset.
func (r *reader) noteProblems(p *part) {
	for _, problem := range p.Errors {
		switch problem.Name {
		case enmime.ErrorMissingContentType, enmime.ErrorPlainTextFromHTML, enmime.ErrorCharsetDeclaration:
		default:
			r.warn("%s: %s", strings.ToLower(problem.Name), brief(problem.Detail))
		}
	}
}
