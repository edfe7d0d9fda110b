package pdftext

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// config is the first message to a child.
type config struct {
	MemoryLimit  int64
	MaxPages     int
	MaxTextBytes int
	CacheDir     string
	Trusted      bool // the child sees no document, and may write to CacheDir
}

// request is a request to a child. Size bytes of a document follow it. The child keeps them until the next document or
// opRest, so that the second reader needs no second copy.
type request struct {
	Op   string // opRead, opDraw, opWords, opWarm or opRest
	Read string // Ledongthuc or PDFium
	Size int

	Cached bool // CacheDir has the compiled PDFium

	First, Most, Width int // of opDraw and opWords: which pages, from 0, at most how many, and how wide in pixels
}

const (
	opRead  = "read"  // answered by started, pages and done
	opDraw  = "draw"  // answered by started, pages and done
	opWords = "words" // answered by started, pages and done
	opWarm  = "warm"  // compile PDFium into the cache; answered by done
	opRest  = "rest"  // forget the document and get ready for the next; not answered
)

// event is one answer of a child. Texts are as in the file, not cleaned.
type event struct {
	Kind    string
	Page    int     `json:",omitempty"` // from 0
	Text    string  `json:",omitempty"`
	Count   int     `json:",omitempty"` // pages of the file
	Picture []byte  `json:",omitempty"` // of the page
	Words   []Word  `json:",omitempty"` // of the page
	Title   string  `json:",omitempty"`
	Width   float64 `json:",omitempty"` // of the first page as it is shown, in points
	Height  float64 `json:",omitempty"`
	Cut     bool    `json:",omitempty"`
	Doubt   string  `json:",omitempty"` // the feature of this file that the reader is known to read wrongly
	Fault   string  `json:",omitempty"` // a key of faults, when the reader gave up
	Detail  string  `json:",omitempty"` // for the log
	Spent   bool    `json:",omitempty"` // the child is not to be used again
}

const (
	kindReady   = "ready"   // the child waits for its first request
	kindStarted = "started" // the reader is loaded and begins to read the document
	kindPage    = "page"
	kindDone    = "done"
)

// The faults that a child reports itself. The parent recognizes other faults by the way in which the child ended.
const (
	faultEncrypted = "encrypted"
	faultDamaged   = "damaged"
	faultCrashed   = "crashed"
)

// link sends and receives frames: the length in four bytes, the highest first, and then that many bytes of JSON.
// receive refuses frames of more than max bytes; send has no limit.
type link struct {
	r   *bufio.Reader
	w   io.Writer
	max int
}

func newLink(r io.Reader, w io.Writer, maxFrame int) link {
	return link{r: bufio.NewReaderSize(r, 64<<10), w: w, max: maxFrame}
}

func (l link) send(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode a frame: %w", err)
	}
	//nolint:gosec // texts are capped far below 4 GB
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(body)), uint32(len(body)))
	_, err = l.w.Write(append(frame, body...))
	return err
}

func (l link) receive(v any) error {
	var head [4]byte
	if _, err := io.ReadFull(l.r, head[:]); err != nil {
		return err
	}
	size := int(binary.BigEndian.Uint32(head[:]))
	if size > l.max {
		return fmt.Errorf("a frame of %d bytes is over the limit of %d", size, l.max)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(l.r, body); err != nil {
		return err
	}
	return json.Unmarshal(body, v)
}

// childArgument is the only argument of a child. No command of the programs may have this name.
const childArgument = "pdftext-child"
