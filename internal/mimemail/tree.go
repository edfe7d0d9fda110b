package mimemail

import (
	"bytes"
	"cmp"
	"net/textproto"
	"strings"

	"github.com/jhillyerd/enmime/v2"
	"github.com/jhillyerd/enmime/v2/mediatype"

	"dealflow/internal/fault"
)

// part is a message, or a part of one.
type part struct {
	*enmime.Part

	children []*part
	media    string // the media type as which it is read, in lower case
	boundary string // of its parts; empty if it has none
	charset  string // as the mail names it
	flowed   bool
	delSp    bool
	entered  bool // a first delimiter was seen
	closed   bool
	begin    int // index in the whole text where its header begins
	body     int // index in the whole text where its content begins
}

// unreadableType replaces a Content-Type that cannot be read; the type is then found from the content.
const unreadableType = "x-unreadable/x-unreadable"

// mediaType parses a media type for the library, from the first maxMediaType bytes of value. It returns the type, its
// parameters and the invalid parameters, and stores the boundary, the charset and the format in p. It does not return
// the boundary, so that the library does not look for parts, nor a charset that part.text decodes itself. For a type
// that cannot be parsed it returns unreadableType and no error.
func (p *part) mediaType(value string) (string, map[string]string, []string, error) {
	media, params, invalid, err := mediatype.ParseWithOptions(firstOf(value, maxMediaType),
		mediatype.ParseOptions{StripMediaTypeInvalidCharacters: true})
	if err != nil {
		return unreadableType, map[string]string{}, nil, nil //nolint:nilerr // the part is kept all the same
	}
	if params == nil {
		params = map[string]string{}
	}
	if strings.HasPrefix(media, "multipart/") && params["boundary"] != "" {
		p.boundary = params["boundary"]
		if !strings.Contains(value, `"`) {
			p.boundary, _, _ = strings.Cut(p.boundary, " (") // a comment
		}
		p.boundary = strings.TrimRight(p.boundary, " \t")
	}
	if params["charset"] != "" {
		p.charset = params["charset"]
	}
	p.flowed, p.delSp = p.flowed || strings.EqualFold(params["format"], "flowed"), p.delSp ||
		strings.EqualFold(params["delsp"], "yes")
	delete(params, "boundary")
	if isOurs(params["charset"]) || renamed(params["charset"]) != "" {
		delete(params, "charset")
	}
	return media, params, invalid, nil
}

// splitter splits a message into parts in one pass over its lines, whatever the nesting.
type splitter struct {
	*reader

	text  []byte
	root  *part
	open  []*part        // the open multiparts, the outermost first
	named map[string]int // where in open the multipart with this boundary is
	leaf  *part          // the part whose content is being read; nil between parts
	count int
}

// split returns the tree of parts with their content. It stops after maxParts parts and keeps parts that are nested
// deeper than maxNesting unsplit, both with a warning. The error is InvalidBody if the header of the message cannot be
// read.
func (r *reader) split(text []byte) (*part, error) {
	s := &splitter{reader: r, text: text, named: map[string]int{}}
	at, err := s.begin(0)
	if err != nil {
		return nil, fault.Field("body", "is no MIME message: "+brief(err.Error()))
	}
	for at < len(text) && len(s.open) > 0 {
		next := at + lineLength(text[at:])
		if depth, last, found := s.delimiter(text[at:next]); found {
			next = s.handleDelimiter(at, next, depth, last)
		}
		at = next
	}
	s.end(len(text))
	for _, left := range s.open {
		if left.entered && !left.closed {
			r.warn("missing boundary: its last part, of %q, is not closed", brief(left.boundary))
		}
	}
	return s.root, nil
}

func lineLength(text []byte) int {
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		return end + 1
	}
	return len(text)
}

// delimiter looks for the open multipart that a line delimits. It returns the depth of that multipart, reports whether
// the line is its last delimiter, and reports in found whether there is such a multipart.
func (s *splitter) delimiter(line []byte) (depth int, last, found bool) {
	if !bytes.HasPrefix(line, []byte("--")) {
		return 0, false, false
	}
	name := bytes.TrimRight(line[2:], " \t\r\n")
	if depth, found = s.named[string(name)]; found {
		return depth, false, true
	}
	name, ends := bytes.CutSuffix(name, []byte("--"))
	depth, found = s.named[string(name)]
	return depth, true, ends && found
}

// handleDelimiter handles the delimiter from byte at up to next, which belongs to the multipart at depth in s.open: it
// ends what is open in that multipart, and begins its next part unless last is true. It returns the byte at which to
// continue.
func (s *splitter) handleDelimiter(at, next, depth int, last bool) int {
	current := s.open[depth]
	current.entered = true
	s.end(at)
	for _, inner := range s.open[depth+1:] {
		if inner.entered && !inner.closed {
			s.warn("missing boundary: a part of it, of %q, is not closed", brief(inner.boundary))
		}
		delete(s.named, inner.boundary)
	}
	s.open = s.open[:depth+1]
	if last {
		current.closed = true
		delete(s.named, current.boundary)
		s.open = s.open[:depth]
		if depth == 0 {
			s.noteRest(next)
		}
		return next
	}
	if s.count >= maxParts {
		s.warn("it has more than %d parts; the others are only in the raw message", maxParts)
		s.open = nil
		return len(s.text)
	}
	behind, err := s.begin(next)
	if err != nil {
		s.beginText(next)
		return next
	}
	return behind
}

// beginText begins, at byte at, a part that has no header, not even the blank line that ends one. The whole part is
// text as it was sent, about which decode adds a warning.
func (s *splitter) beginText(at int) {
	p := &part{Part: &enmime.Part{Header: textproto.MIMEHeader{}}, begin: at, body: at}
	parent := s.open[len(s.open)-1]
	parent.children = append(parent.children, p)
	s.count++
	s.leaf = p
}

// begin reads the header of the part that begins at byte at, and returns the byte at which its content begins. The
// error is that of the library, which cannot read the header; the part is not added then.
func (s *splitter) begin(at int) (int, error) {
	behind := s.headEnd(at)
	head := s.text[at:behind]
	if len(head) > maxHead {
		s.warn("a header has %d bytes; only its first %d were read", len(head), maxHead)
		head = append(bytes.Clone(head[:bytes.LastIndexByte(head[:maxHead], '\n')+1]), '\n')
	}
	p, err := s.parse(head)
	if err != nil {
		return behind, err
	}
	p.begin, p.body, p.media = at, behind, strings.ToLower(strings.TrimSpace(p.ContentType))
	s.count++
	if s.root == nil {
		s.root = p
	} else {
		parent := s.open[len(s.open)-1]
		parent.children = append(parent.children, p)
	}
	s.enter(p)
	return behind, nil
}

// enter adds a part that has parts to s.open. Any other part, one that is nested too deep, and one with the boundary of
// a part in s.open, become s.leaf, whose content is read next.
func (s *splitter) enter(p *part) {
	if p == s.root && (p.Header.Get("Content-Type") == "" || strings.HasPrefix(p.media, "multipart/")) {
		s.findBoundary(p)
	}
	if _, taken := s.named[p.boundary]; p.boundary == "" || taken {
		s.leaf = p
		return
	}
	if len(s.open) >= maxNesting {
		s.warn("its parts are nested too deep; the innermost are kept as they were sent")
		p.boundary, s.leaf = "", p
		return
	}
	s.leaf = nil
	s.named[p.boundary] = len(s.open)
	s.open = append(s.open, p)
}

// findBoundary sets the boundary of a message that names none or one that does not occur, with a warning: to the first
// line "--boundary" that the header of a part follows. If the message has no Content-Type, this line must occur twice.
func (s *splitter) findBoundary(p *part) {
	found, behind := "", 0
	for at := p.body; at < len(s.text); {
		next := at + lineLength(s.text[at:])
		line, divides := bytes.CutPrefix(bytes.TrimRight(s.text[at:next], " \t\r\n"), []byte("--"))
		switch {
		case !divides || len(line) == 0:
		case p.boundary != "" && string(bytes.TrimSuffix(line, []byte("--"))) == p.boundary:
			return
		case found == "" && hasPrefixFold(s.text[next:], "Content-"):
			found, behind = string(line), next
		}
		at = next
	}
	if found != "" && (p.Header.Get("Content-Type") != "" || bytes.Contains(s.text[behind:], []byte("\n--"+found))) {
		s.warn("its boundary is not the one that it names (%s)", brief(cmp.Or(p.boundary, "none")))
		p.boundary = found
	}
}

// headEnd returns the index after the blank line that ends the header that begins at byte at. If a delimiter comes
// first, it returns the index of the delimiter; if neither comes, the length of the text.
func (s *splitter) headEnd(at int) int {
	for at < len(s.text) {
		next := at + lineLength(s.text[at:])
		line := s.text[at:next]
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return next
		}
		if _, _, found := s.delimiter(line); found {
			return at
		}
		at = next
	}
	return at
}

// end sets the content of the part that is being read, or else of the part that hollow returns; it does nothing if
// there is neither. The content ends at byte at, without the line end that belongs to the delimiter there.
func (s *splitter) end(at int) {
	p := s.leaf
	if p == nil {
		p = s.hollow()
	}
	if s.leaf = nil; p == nil {
		return
	}
	if at < len(s.text) {
		at = len(bytes.TrimSuffix(bytes.TrimSuffix(s.text[:at], []byte("\n")), []byte("\r")))
	}
	s.decode(p, s.text[p.begin:max(at, p.body)])
}

// hollow returns the innermost open multipart if its first delimiter has not come, and nil otherwise. It adds a
// warning, since the lines of that multipart are then its own content, and returns the multipart only once.
func (s *splitter) hollow() *part {
	if len(s.open) == 0 {
		return nil
	}
	last := s.open[len(s.open)-1]
	if last.entered {
		return nil
	}
	s.warn("missing boundary: %q is not in it; the body is as it was sent", brief(last.boundary))
	last.entered = true
	return last
}

// decode reads the header and the content of a part. Content that cannot be decoded stays as it was sent, with a
// warning. A part without a valid type is text, except in a digest, where it is a message. A multipart without parts,
// and a part of unreadableType without NUL bytes, are text too.
func (s *splitter) decode(p *part, text []byte) {
	head := p.body - p.begin
	if head > maxHead {
		text = append(append(bytes.Clone(text[:bytes.LastIndexByte(text[:maxHead], '\n')+1]), '\n'), text[head:]...)
	}
	whole, err := s.parse(text)
	if err != nil {
		s.warn("a part of it could not be decoded (%s); it is as it was sent", brief(err.Error()))
		p.Content = text[min(head, len(text)):]
	} else {
		p.Part = whole.Part
	}
	p.FileName = fileNameIn(p.Header)
	switch {
	case p.Header.Get("Content-Type") == "" && s.inDigest(p):
		p.media = "message/rfc822"
	// "text" alone is from before MIME
	case p.media == "", !strings.Contains(p.media, "/"), strings.HasPrefix(p.media, "multipart/"):
		p.media = "text/plain"
	case p.media == unreadableType && !bytes.ContainsRune(p.Content, 0):
		p.media = "text/plain"
	}
}

func (s *splitter) inDigest(p *part) bool {
	for _, outer := range s.open {
		if outer.media == "multipart/digest" && len(outer.children) > 0 && outer.children[len(outer.children)-1] == p {
			return true
		}
	}
	return false
}

// noteRest adds a warning if there is text from byte at on, which is after the last delimiter.
func (s *splitter) noteRest(at int) {
	if rest := bytes.TrimSpace(s.text[at:]); len(rest) > 0 {
		s.warn("%d bytes stand behind its last part; they are only in the raw message", len(rest))
	}
}
