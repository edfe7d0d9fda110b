package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"io"
	"math"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"

	"dealflow/internal/httpapi/request"
)

// fingerprint is a digest of a request's method, path, query and body, by which a repeat is recognized. It is computed
// while the handler reads the body, and does not store the body. For a form it covers the parts and not the bytes,
// since a client that sends a form again chooses another boundary. close must be called at the end.
type fingerprint struct {
	head     hash.Hash
	body     hash.Hash
	form     *formPrint // nil: the body is no form
	streamed bool       // something is stored before the body was read
	raw      io.Reader  // the request's body
	done     []byte
}

// formPrint computes the digest of a form while its handler reads it. The body is written into pipe, and the digest is
// received from parts.
type formPrint struct {
	pipe  *io.PipeWriter
	parts chan formDigest
}

// formDigest is the digest of a form's parts. whole is true if the last boundary of the form was read.
type formDigest struct {
	sum   []byte
	whole bool
}

// newFingerprint begins the fingerprint of a request, which is updated with each read of the body. The body must be one
// that request.WatchBody watches. If streamed is true, the head of the fingerprint also covers the media type, and the
// length that the request states for its body.
func newFingerprint(r *http.Request, streamed bool) *fingerprint {
	f := &fingerprint{head: sha256.New(), body: sha256.New(), streamed: streamed, raw: r.Body}
	for _, text := range []string{r.Method, r.URL.Path, r.URL.Query().Encode()} {
		writeText(f.head, text)
	}
	if streamed {
		writeText(f.head, request.MediaType(r))
		writeText(f.head, strconv.FormatInt(r.ContentLength, 10))
	}
	_, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if request.MediaType(r) == request.FormMediaType && params["boundary"] != "" {
		reader, writer := io.Pipe()
		f.form = &formPrint{pipe: writer, parts: make(chan formDigest, 1)}
		go func() {
			f.form.parts <- digestForm(multipart.NewReader(reader, params["boundary"]))
			_ = reader.Close() // what follows the form is not in the digest
		}()
	}
	request.Observe(r.Body, f.write)
	return f
}

func (f *fingerprint) write(p []byte) {
	switch {
	case f.done != nil || len(p) == 0:
	case f.form != nil:
		_, _ = f.form.pipe.Write(p) // fails once the form has ended, which is ignored
	default:
		_, _ = f.body.Write(p)
	}
}

// early returns the fingerprint as it is when the handler first commits a transaction. For a streamed request, whose
// body was not read yet, it covers only the head. For any other request, early ends the fingerprint as sum does.
func (f *fingerprint) early() []byte {
	if f.streamed {
		return f.head.Sum(nil)
	}
	return f.sum()
}

// sum ends the fingerprint and returns it. Bytes that are read later do not change it. If the body of a streamed
// request was not read to its end, sum returns the same as early.
func (f *fingerprint) sum() []byte {
	if f.done == nil {
		body := formDigest{f.body.Sum(nil), request.Ended(f.raw)}
		if f.form != nil {
			_ = f.form.pipe.Close()
			body = <-f.form.parts
		}
		if body.whole || !f.streamed {
			_, _ = f.head.Write(body.sum)
		}
		f.done = f.head.Sum(nil)
	}
	return f.done
}

// close ends the goroutine that computes the digest of a form.
func (f *fingerprint) close() {
	if f.form != nil {
		_ = f.form.pipe.Close()
	}
}

// matches reports whether this request is the same as the first one with its key. first is the fingerprint of the first
// request. If this request is streamed and first is the fingerprint of its head alone, matches returns true and reads
// nothing. Otherwise it first reads the rest of the body, of a request that is not streamed at most limit bytes. The
// error is that of reading the body.
func (f *fingerprint) matches(body io.Reader, first []byte, limit int64) (bool, error) {
	if f.streamed {
		if bytes.Equal(f.early(), first) {
			return true, nil
		}
		limit = math.MaxInt64
	}
	if _, err := io.Copy(io.Discard, io.LimitReader(body, limit)); err != nil {
		return false, err
	}
	return bytes.Equal(f.sum(), first), nil
}

// digestForm returns one digest of the names, file names and contents of the parts of a form; their order does not
// matter. If the form is cut off, or has more than request.MaxParts parts, whole is false and the digest differs from
// that of a complete form.
func digestForm(form *multipart.Reader) formDigest {
	var parts [][]byte
	complete := false
	for range request.MaxParts + 1 {
		part, err := form.NextPart()
		if err != nil {
			complete = errors.Is(err, io.EOF)
			break
		}
		digest, err := digestPart(part)
		if err != nil {
			break
		}
		parts = append(parts, digest)
	}
	slices.SortFunc(parts, bytes.Compare)
	whole := sha256.New()
	if !complete {
		writeText(whole, "cut off") // the handler refuses such a form; its digest must differ from that of the whole one
	}
	for _, digest := range parts {
		_, _ = whole.Write(digest)
	}
	return formDigest{whole.Sum(nil), complete}
}

func digestPart(part *multipart.Part) ([]byte, error) {
	digest := sha256.New()
	_, params, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	fileName, isFile := params["filename"]
	writeText(digest, part.FormName())
	if isFile {
		writeText(digest, "file")
	} else {
		writeText(digest, "field")
	}
	writeText(digest, fileName)
	_, err := io.Copy(digest, part)
	return digest.Sum(nil), err
}

// writeText writes the length of a text and then the text, so that different sequences of texts never write the same
// bytes.
func writeText(h hash.Hash, text string) {
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
	_, _ = io.WriteString(h, text)
}
