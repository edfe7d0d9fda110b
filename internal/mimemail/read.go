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

// Bounds of what one message may cost. What they cut is named in the message's warnings, and the raw message is whole.
const (
	maxParts     = 5000
	maxNesting   = 100
	maxForwarded = 3       // messages within messages whose files are its own
	maxHead      = 1 << 20 // bytes of a header
	maxFiles     = 100     // attachments that are files of their own: each is written and synced by itself
)

// Read reads a MIME message (RFC 5322), however broken. InvalidBody where no sender is named, or where it
// is empty. What could not be read as it was meant, or was cut, is named in the member "warnings" of the metadata.
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

// reader makes one message of a tree of parts.
type reader struct {
	message  Message
	meta     map[string]any
	warnings warnings

	depth     int      // of messages within messages
	forwarded []string // heads and texts of the messages in it
}

// parse reads one part, header and content. The library never sees a part in a part: it needs time that grows with
// the power of their nesting, and with the square of their number.
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

// tree never panics, whatever the library does.
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

// finish fills what depends on all the rest.
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

// ContentID distinguishes a message without a Message-ID from others, by its content. How its lines end does not
// matter.
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

// limitContent keeps the text of a body to what a reader of it can use.
func (r *reader) limitContent(content string) string {
	if len(content) <= maxContent {
		return content
	}
	r.warn("its text has %d bytes; the content is the first %d of them", len(content), maxContent)
	return firstOf(content, maxContent)
}

// maxContent is far above what people write, and far below what a list of emails could not bear.
const maxContent = 4 << 20
