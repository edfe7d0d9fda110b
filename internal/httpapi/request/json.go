package request

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"dealflow/internal/fault"
)

// MediaType returns the media type of the request's body in lower case; "" if none is named or it cannot be parsed.
func MediaType(r *http.Request) string {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return ""
	}
	return media
}

// Unsupported returns UnsupportedType for the Content-Type of a request; message says which types are accepted.
func Unsupported(message string) error {
	return fault.New(fault.UnsupportedType, "unsupported_media_type",
		fault.Detail{Field: "Content-Type", Message: message})
}

// readJSON reads a body of at most limit bytes, but does not check that it is JSON. The error is UnsupportedType if
// there is a Content-Type that is not JSON, or a Content-Encoding other than identity; TooLarge for a longer body;
// otherwise the error of Incomplete.
func readJSON(r *http.Request, limit int64) ([]byte, error) {
	media := MediaType(r)
	if media != "application/json" && !strings.HasSuffix(media, "+json") && r.Header.Get("Content-Type") != "" {
		return nil, Unsupported("must be application/json")
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, fault.New(fault.UnsupportedType, "unsupported_content_encoding",
			fault.Detail{Field: "Content-Encoding", Message: "must be identity: send the body uncompressed"})
	}
	raw, err := readAtMost(r.Body, limit)
	switch {
	case fault.Is(err, fault.TooLarge):
		return nil, fault.New(fault.TooLarge, "body_too_large",
			fault.Detail{Field: "body", Message: fmt.Sprintf("is larger than %d bytes", limit)})
	case err != nil:
		return nil, Incomplete(err)
	}
	return raw, nil
}

// Incomplete returns InvalidBody for a body that could not be read to its end. If cause is a fault already, it returns
// cause.
func Incomplete(cause error) error {
	if fault.KindOf(cause) != fault.Internal {
		return cause
	}
	return fault.New(fault.InvalidBody, "incomplete_body",
		fault.Detail{Field: "body", Message: "ended before it was complete: send all of it again"}).Because(cause)
}

// readAtMost reads r to its end. If r has more than limit bytes, it reads limit+1 bytes and the error is TooLarge. An
// error of reading r is returned unchanged.
func readAtMost(r io.Reader, limit int64) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(raw)) > limit {
		return nil, fault.New(fault.TooLarge, "too_large")
	}
	return raw, err
}
