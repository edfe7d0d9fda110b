package wire

import (
	"bytes"
	"encoding/binary"
)

// keep is how many bytes of a message are stored, enough for the name of a statement and the beginning of its text.
const keep = 4 << 10

// reader splits the bytes of one direction of a connection into messages of Postgres's protocol, and calls take for
// each, with its first keep bytes. The bytes may arrive in pieces of any size.
type reader struct {
	startup bool // the next message is the first, which has no type
	take    func(kind byte, body []byte)

	head []byte // the bytes of the present message's type and length
	body []byte // the first bytes of its content, at most keep
	left int    // bytes of its content that have not arrived
}

func (r *reader) read(piece []byte) {
	for len(piece) > 0 {
		if r.left == 0 {
			piece = r.begin(piece)
			continue
		}
		n := min(r.left, len(piece))
		r.body = append(r.body, piece[:min(n, keep-min(keep, len(r.body)))]...)
		r.left -= n
		piece = piece[n:]
		if r.left == 0 {
			r.end()
		}
	}
}

// begin parses the type and the length of a message, or the part of them that has arrived, from piece, and returns the
// bytes after them.
func (r *reader) begin(piece []byte) []byte {
	size := 5
	if r.startup {
		size = 4
	}
	n := min(size-len(r.head), len(piece))
	r.head = append(r.head, piece[:n]...)
	if len(r.head) < size {
		return piece[n:]
	}
	r.left = int(binary.BigEndian.Uint32(r.head[size-4:])) - 4
	if r.left <= 0 {
		r.left = 0
		r.end()
	}
	return piece[n:]
}

func (r *reader) end() {
	if !r.startup {
		r.take(r.head[0], r.body)
	}
	r.startup, r.head, r.body = false, r.head[:0], r.body[:0]
}

// talk is the state of a connection between the program and Postgres: the requests that are not answered yet, and the
// statements that the program has prepared.
type talk struct {
	proxy    *Proxy
	greeted  bool // the login is over
	awaited  int  // Query and Sync messages that are not answered
	speaking bool // the program has sent something that is not answered
	named    map[string]string
	portals  map[string]string
}

// said updates the counts for a message from the program to Postgres. kind is the type byte of the message. It does not
// count the login.
func (t *talk) said(kind byte, body []byte) {
	t.proxy.mu.Lock()
	defer t.proxy.mu.Unlock()
	if !t.greeted || kind == 'X' {
		return
	}
	if !t.speaking {
		t.speaking = true
		t.proxy.counts.Trips++
	}
	first, rest := text(body)
	switch kind {
	case 'Q':
		t.awaited++
		t.note(first)
	case 'S':
		t.awaited++
	case 'P':
		t.named[first], _ = text(rest)
	case 'B':
		name, _ := text(rest)
		t.portals[first] = t.named[name]
	case 'E':
		t.note(t.portals[first])
	}
}

func (t *talk) note(statement string) { t.proxy.counts.Texts = append(t.proxy.counts.Texts, statement) }

// heard updates the counts for a message from Postgres to the program. kind is the type byte of the message.
func (t *talk) heard(kind byte, _ []byte) {
	t.proxy.mu.Lock()
	defer t.proxy.mu.Unlock()
	switch kind {
	case 'C':
		t.proxy.counts.Statements++
	case 'Z':
		if !t.greeted {
			t.greeted = true
			return
		}
		t.awaited--
		t.speaking = t.awaited > 0
	}
}

// text returns the first string of body, which ends with a zero byte, and the bytes after that.
func text(body []byte) (first string, rest []byte) {
	before, after, _ := bytes.Cut(body, []byte{0})
	return string(before), after
}
