package request

import "net/http"

// Reader has what all handlers need to read requests: the limits and the keys of cursors.
type Reader struct {
	MaxJSONSize int64    // bytes of a JSON body
	CursorKeys  [][]byte // of cursors: the first signs, all verify
}

// Object reads the body as a JSON object, as ReadObject does.
func (r Reader) Object(sent *http.Request) (*Object, error) { return ReadObject(sent, r.MaxJSONSize) }
