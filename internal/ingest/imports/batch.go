package imports

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/google/uuid"
)

// The size of a batch. It is large enough that a transaction costs little compared with its rows, and small enough that
// progress is visible, a cancel takes effect soon, and two batches easily fit into memory.
const (
	batchRows  = 1000
	batchBytes = 2 << 20

	// companyRowsAtOnce is less than batchRows: an analyzed company takes many times the memory of its text, and while
	// the last batch is written there is no other to analyze.
	companyRowsAtOnce = 300
)

// rowsOf returns how many rows a batch of a kind of import may hold.
func rowsOf(kind string) int {
	if kind == KindCompanies {
		return companyRowsAtOnce
	}
	return batchRows
}

// header says how the rows of a CSV file must be parsed: the separator, and the names of the columns.
type header struct {
	Comma   string   `json:"comma"`
	Columns []string `json:"columns"`
}

// record is a row exactly as it is in its file, or the reason why it could not be separated from the others.
type record struct {
	raw     []byte
	problem string // empty: raw is the row
}

// batch collects rows until it is stored. It is encoded as the header in JSON and then the records. Before the header
// and before each record is its length, as a varint. The length of a record is shifted left by one bit, and the lowest
// bit is 1 if the record is a problem.
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

// isGiant reports whether a size in bytes, of a row or a batch, is much larger than a batch should be.
func isGiant(size int) bool { return size > 4*batchBytes }

// releaseMemory returns the memory of a batch or row of size bytes, which must be unused, to the system at once if
// isGiant(size). The garbage collector would wait until as much memory again is used, and the next giants would take
// more memory from the system. Copying a giant takes much longer than this.
func releaseMemory(size int) {
	if isGiant(size) {
		debug.FreeOSMemory()
	}
}

// errBatch is the error for a stored batch that is not in the encoding of batch.
var errBatch = errors.New("the stored batch is damaged")

// openBatch decodes a stored batch: the header, which is nil if the file has none, and the records. The records share
// the memory of encoded. The error is, or wraps, errBatch.
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

// cut returns the part of encoded that follows its length, which is a varint shifted left by shift bits, and the rest.
func cut(encoded []byte, shift uint) (body, rest []byte, err error) {
	length, size := binary.Uvarint(encoded)
	if size <= 0 || length>>shift > uint64(len(encoded)-size) { //nolint:gosec // G115: a length is not negative
		return nil, nil, errBatch
	}
	end := size + int(length>>shift) //nolint:gosec // G115: it is no longer than encoded
	return encoded[size:end], encoded[end:], nil
}

// batchPrefix is the prefix of the keys of batches in storage.
const batchPrefix = "imports/"

// batchKey returns the storage key of a batch: "imports/", the id of the import, "_" and the number of the batch. The
// key has no folder for each import, since an empty folder would remain after the batches are removed.
func batchKey(importID uuid.UUID, number int) string {
	return fmt.Sprintf("%s%s_%d", batchPrefix, importID, number)
}
