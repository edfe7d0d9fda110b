package request

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/google/uuid"

	"dealflow/internal/postgres/paging"
)

// Bounds of a page of any list.
const (
	defaultLimit = 25
	maxLimit     = 100
	maxPage      = 1 << 53 // what a JSON number can express exactly
	wholeLimit   = 1000    // the limit of short lists where none was sent
)

// Pagination describes, in an answer, a page of a list whose rows are not counted.
type Pagination struct {
	Page       int     `json:"page"`
	Limit      int     `json:"limit"`
	HasNext    bool    `json:"has_next"`
	HasPrev    bool    `json:"has_prev"`
	NextCursor *string `json:"next_cursor"`
}

// Page is the page of a list that a request selects. It also writes and reads the cursors of the list.
type Page struct {
	paging.Page

	keys    [][]byte
	binding string
}

// Page reads the parameters page, limit and cursor, and returns the page that they select; without them, the first page
// with 25 rows. page and cursor may not both be sent, and limit is at most 100. The first of the keys signs cursors,
// and a cursor signed by any of them is accepted. A cursor is valid only for a request with the same path and the same
// values of all parameters that were read before Page was called: filters and order must therefore be read first.
func (q *Query) Page(keys [][]byte) Page { return q.page(keys, defaultLimit) }

// WholePage is Page for a short list: if the request has no limit, the page has up to 1000 rows. A limit that is sent
// may be at most 100.
func (q *Query) WholePage(keys [][]byte) Page { return q.page(keys, wholeLimit) }

// Cursors returns a Page that writes and reads cursors of the list with this name. They are valid for any path and
// filters.
func Cursors(keys [][]byte, name string) Page { return Page{keys: keys, binding: name} }

func (q *Query) page(keys [][]byte, fallback int) Page {
	p := Page{keys: keys, binding: q.binding()}
	p.Number = q.Integer("page", 1, 1, maxPage)
	p.Limit = q.Integer("limit", fallback, 1, maxLimit)
	cursor, sent := q.Text("cursor")
	if !sent {
		return p
	}
	if _, both := q.values["page"]; both {
		q.Refuse("page", "may not be sent with cursor")
	}
	number, position, ok := p.read(cursor)
	if !ok {
		q.Refuse("cursor", "must be the next_cursor of a page of this list, with the same filters and the same order")
		return p
	}
	p.Number, p.After = number, &position
	return p
}

// Pagination returns the pagination of the page; next is where the following page begins, nil at the end.
func (p Page) Pagination(next *paging.Position) Pagination {
	return Pagination{
		Page: p.Number, Limit: p.Limit, HasNext: next != nil, HasPrev: p.Number > 1, NextCursor: p.Cursor(next),
	}
}

// macSize is the number of bytes of the signature in a cursor.
const macSize = 16

// Cursor returns the cursor of the position where the next page begins; nil at the end. It contains the number of the
// next page, the id and the values of the order, and a signature that binds it to this list.
func (p Page) Cursor(next *paging.Position) *string {
	if next == nil {
		return nil
	}
	raw := make([]byte, macSize, macSize+64)
	raw = binary.AppendUvarint(raw, uint64(p.Number)+1) //nolint:gosec // G115: from 1
	raw = append(raw, next.ID[:]...)
	for _, value := range next.Values {
		raw = append(binary.AppendUvarint(raw, uint64(len(value))), value...)
	}
	copy(raw, p.mac(p.key(), raw[macSize:]))
	text := base64.RawURLEncoding.EncodeToString(raw)
	return &text
}

func (p Page) key() []byte {
	if len(p.keys) == 0 {
		return nil
	}
	return p.keys[0]
}

func (p Page) mac(key, content []byte) []byte {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte("dealflow cursor 1\x00" + p.binding + "\x00"))
	_, _ = mac.Write(content)
	return mac.Sum(nil)[:macSize]
}

// Position parses a cursor that Cursor wrote for the same list. It reports false for any other text.
func (p Page) Position(cursor string) (paging.Position, bool) {
	_, position, ok := p.read(cursor)
	return position, ok
}

// read does what Position does, and also returns the number of the page in the cursor.
func (p Page) read(cursor string) (number int, position paging.Position, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) < macSize || !p.proven(raw[:macSize], raw[macSize:]) {
		return 0, position, false
	}
	content := raw[macSize:]
	page, size := binary.Uvarint(content)
	content = content[max(size, 0):]
	if size <= 0 || page > math.MaxInt32 || len(content) < len(uuid.Nil) {
		return 0, position, false
	}
	content = content[copy(position.ID[:], content):]
	for len(content) > 0 {
		length, size := binary.Uvarint(content)
		if size <= 0 || length > uint64(len(content)-size) { //nolint:gosec // G115: Uvarint reads no more than there is
			return 0, position, false
		}
		end := size + int(length) //nolint:gosec // G115: within content
		position.Values, content = append(position.Values, string(content[size:end])), content[end:]
	}
	return int(page), position, len(position.Values) > 0
}

func (p Page) proven(mac, content []byte) bool {
	return hmac.Equal(mac, p.mac(p.key(), content)) || slices.ContainsFunc(p.keys, func(key []byte) bool {
		return hmac.Equal(mac, p.mac(key, content))
	})
}

// binding returns the text to which cursors are bound: the path, and the parameters that were read so far with their
// values.
func (q *Query) binding() string {
	slices.Sort(q.read)
	bound := []string{q.path}
	for _, name := range slices.Compact(q.read) {
		if values, sent := q.values[name]; sent {
			bound = append(bound, name, values[0])
		}
	}
	return strings.Join(bound, "\x00")
}
