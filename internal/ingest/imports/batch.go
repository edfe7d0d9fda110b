package imports

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/google/uuid"
)

// How much a batch holds: enough that a transaction's own cost does not count, little enough that progress is seen, a
// cancel is heard, and two of them in memory are nothing.
const (
	batchRows  = 1000
	batchBytes = 2 << 20

	// companyRowsAtOnce is less: a company that was analyzed takes many times the memory of its text, and the last batch
	// is written while nothing is left to analyze beside it.
	companyRowsAtOnce = 300
)

// rowsOf returns how many rows a batch of a kind of import holds at most.
func rowsOf(kind string) int {
	if kind == KindCompanies {
		return companyRowsAtOnce
	}
	return batchRows
}

// header is what the rows of a CSV file need to be read.
type header struct {
	Comma   string   `json:"comma"`
	Columns []string `json:"columns"`
}

// record is a row as it was cut out of its file, or why it could not be.
type record struct {
	raw     []byte
	problem string // empty: raw is the row
}

// batch grows until it is stored. Its encoding: the header as JSON, then the records, each with its length before it;
// the lowest bit of the length says whether it is a problem.
type batch struct {
	encoded []byte
	rows    int
}

func (b *batch) reset(head *header) error {
	encoded := []byte{}
	if head != nil {
		var err error
		if encoded, err = json.Marshal(head); err != nil {
			return fmt.Errorf("encode the header: %w", err)
		}
	}
	b.encoded, b.rows = append(binary.AppendUvarint(b.encoded[:0], uint64(len(encoded))), encoded...), 0
	return nil
}

func (b *batch) add(r record) {
	if r.problem != "" {
		b.encoded = append(binary.AppendUvarint(b.encoded, uint64(len(r.problem))<<1|1), r.problem...)
	} else {
		b.encoded = append(binary.AppendUvarint(b.encoded, uint64(len(r.raw))<<1), r.raw...)
	}
	b.rows++
}

func (b *batch) full(rows int) bool { return b.rows >= rows || len(b.encoded) >= batchBytes }

// isGiant reports whether a row or a batch is much larger than batches are meant to be.
func isGiant(size int) bool { return size > 4*batchBytes }

// releaseMemory returns the memory of a giant that nobody refers to any more at once: else the collector would wait
// until as much again is used, and the next giants would have other memory. What that costs is little beside moving so
// many bytes.
func releaseMemory(size int) {
	if isGiant(size) {
		debug.FreeOSMemory()
	}
}

// errBatch is of a batch that is not as batch wrote it.
var errBatch = errors.New("the stored batch is damaged")

// openBatch reads a stored batch; the records are parts of it.
func openBatch(encoded []byte) (*header, []record, error) {
	first, rest, err := cut(encoded, 0)
	if err != nil {
		return nil, nil, err
	}
	var head *header
	if len(first) > 0 {
		if err := json.Unmarshal(first, &head); err != nil {
			return nil, nil, errors.Join(errBatch, err)
		}
	}
	var records []record
	for len(rest) > 0 {
		length, size := binary.Uvarint(rest)
		var body []byte
		if body, rest, err = cut(rest, 1); err != nil || size <= 0 {
			return nil, nil, errBatch
		}
		if length&1 == 1 {
			records = append(records, record{problem: string(body)})
		} else {
			records = append(records, record{raw: body})
		}
	}
	return head, records, nil
}

// cut takes what has its length before it, which is shifted by so many bits.
func cut(encoded []byte, shift uint) (body, rest []byte, err error) {
	length, size := binary.Uvarint(encoded)
	if size <= 0 || length>>shift > uint64(len(encoded)-size) { //nolint:gosec // G115: a length is not negative
		return nil, nil, errBatch
	}
	end := size + int(length>>shift) //nolint:gosec // G115: it is no longer than encoded
	return encoded[size:end], encoded[end:], nil
}

// batchPrefix is where batches wait to be written.
const batchPrefix = "imports/"

// batchKey is flat, since a folder of its own would stay behind empty.
func batchKey(importID uuid.UUID, number int) string {
	return fmt.Sprintf("%s%s_%d", batchPrefix, importID, number)
}
