package mimemail

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/jhillyerd/enmime/v2"

	"dealflow/internal/fault"
)

// Read reads a MIME message (RFC 5322), however broken. The error is InvalidBody if the message is empty, names no
// sender, or has no header that can be read. The member "warnings" of the metadata names parts that were cut or could
// not be read as intended, up to maxWarnings of them and the number of the others. The message keeps raw, which must
// not be changed afterwards.
func Read(raw []byte) (Message, error) {
	text := unwrapMailbox(raw)
	if len(bytes.TrimSpace(text)) == 0 {
		return Message{}, fault.Field("body", "is empty")
	}
	r := &reader{}
	root, err := r.split(text)
	if err != nil {
		return Message{}, err
	}
	if err := r.readHead(root.Header); err != nil {
		return Message{}, err
	}
	r.readBody(root)
	r.finish(text)
	r.message.Raw = raw
	return r.message, nil
}

// reader builds one message from a tree of parts.
type reader struct {
	message  Message
	meta     map[string]any
	warnings warnings

	depth     int      // of messages within messages
	forwarded []string // heads and texts of the messages in it
}

// parse parses one part, header and content. It never passes the library a part that has parts: the time that the
// library needs grows exponentially with their nesting, and with the square of their number.
func (r *reader) parse(text []byte) (*part, error) {
	p := &part{}
	parsed, err := tree(text, func(value string) (string, map[string]string, []string, error) {
		return p.mediaType(value)
	})
	if err != nil {
		return nil, err
	}
	p.Part = parsed
	return p, nil
}

// tree parses a part with the library. A panic of the library becomes an error.
func tree(text []byte, mediaType enmime.CustomParseMediaType) (root *enmime.Part, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("it breaks the parser: %v", panicked)
		}
	}()
	parser := enmime.NewParser(
		enmime.MultipartWOBoundaryAsSinglePart(true), enmime.DisableCharacterDetection(true), enmime.MaxStoredPartErrors(5),
		enmime.SetCustomParseMediaType(mediaType),
		// what could be decoded of a part is kept
		enmime.SetReadPartErrorPolicy(func(*enmime.Part, error) bool { return true }),
	)
	root, err = parser.ReadParts(bytes.NewReader(text))
	if err == nil && root == nil {
		err = errors.New("nothing could be read")
	}
	return root, err
}

// finish limits the content and the number of files, sets the ID to a hash of text if the message has none, and sets
// the metadata. It must be called last, since it may add warnings, which are in the metadata.
func (r *reader) finish(text []byte) {
	m := &r.message
	m.Content = r.limitContent(m.Content)
	if files, packed := Pack(m.Files); packed > 0 {
		m.Files = files
		r.warn("it has more than %d attachments; the last %d of them are in one archive", maxFiles, packed)
	}
	if m.ID == "" {
		m.ID = ContentID(text)
		r.warn("it has no Message-ID; its content identifies it")
	}
	m.Metadata = r.metadata()
}

// ContentID returns an ID for a message without a Message-ID: a hash of its content, in which the kind of line ends and
// white space around the content do not matter.
func ContentID(text []byte) string {
	sum := sha256.Sum256(bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r"), nil)))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func joinPieces(pieces []string) string {
	var kept []string
	for _, piece := range pieces {
		if piece = strings.Trim(piece, "\r\n\t "); piece != "" {
			kept = append(kept, piece)
		}
	}
	return strings.Join(kept, "\n\n")
}

// limitContent cuts the text of a body to maxContent bytes, and adds a warning if that cuts anything.
func (r *reader) limitContent(content string) string {
	if len(content) <= maxContent {
		return content
	}
	r.warn("its text has %d bytes; the content is the first %d of them", len(content), maxContent)
	return firstOf(content, maxContent)
}
