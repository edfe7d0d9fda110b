// Package files serves stored files to everybody who has a signed URL, and signs those URLs.
package files

import (
	"math"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"dealflow/internal/blob"
	"dealflow/internal/company"
	"dealflow/internal/fault"
	"dealflow/internal/httpapi/respond"
)

// Handlers serve files and sign their URLs.
type Handlers struct {
	Blobs  *blob.Store
	Signer *blob.Signer
	Now    func() time.Time
}

// URL returns a signed URL of a file, which is valid until expires. It returns nil if the file is a link.
func (h *Handlers) URL(file company.File, expires time.Time) *string {
	if file.StoragePath == nil {
		return nil
	}
	name := file.Title
	if file.OriginalFilename != nil {
		name = *file.OriginalFilename
	}
	url := h.Signer.URL(*file.StoragePath, name, expires)
	return &url
}

// Serve sends a stored file to everybody who has a valid signed URL of it. The error is Forbidden if the URL was
// changed or has expired, and NotFound if the file is no longer stored. Since people upload files of any kind, no file
// may run scripts in our origin: it is sent as an attachment, browsers must use its media type and not guess another,
// and a browser that displays it does so in a sandbox.
func (h *Handlers) Serve(c *gin.Context) error {
	grant, err := h.Signer.Verify(c.Request.URL, h.Now())
	if err != nil {
		return err
	}
	file, err := h.Blobs.Open(c.Request.Context(), grant.Key)
	if err != nil {
		return err
	}
	defer file.Close()
	header := c.Writer.Header()
	header.Set("Content-Type", file.MediaType)
	header.Set("Content-Disposition", respond.Attachment(grant.Name))
	header.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	header.Set("Cache-Control", "private, max-age=0, must-revalidate")
	header.Set("Cross-Origin-Resource-Policy", "same-site")
	// As RFC 9110 demands, a range in another unit asks for the whole file; http.ServeContent would refuse it.
	unit, ranges, hasRanges := strings.Cut(c.Request.Header.Get("Range"), "=")
	switch {
	case strings.EqualFold(unit, "bytes") && hasRanges:
		c.Request.Header.Set("Range", unit+"="+outsideIfEmpty(ranges))
	case !strings.EqualFold(unit, "bytes"):
		c.Request.Header.Del("Range")
	}
	http.ServeContent(&refuser{ResponseWriter: c.Writer, c: c}, c.Request, "", file.ModTime, file)
	return nil
}

// outsideIfEmpty returns ranges with those of the last 0 bytes replaced by one that lies outside every file. RFC 9110
// says that both cannot be satisfied, but http.ServeContent would send nothing for the former, with an invalid
// Content-Range.
func outsideIfEmpty(ranges string) string {
	parts := strings.Split(ranges, ",")
	for i, part := range parts {
		last, isLast := strings.CutPrefix(textproto.TrimString(part), "-")
		if n, err := strconv.ParseInt(textproto.TrimString(last), 10, 64); isLast && err == nil && n == 0 {
			parts[i] = strconv.Itoa(math.MaxInt64) + "-"
		}
	}
	return strings.Join(parts, ",")
}

// refuser answers a condition that does not hold, a range outside the file, and a malformed Range header with the same
// envelope as every other refusal; http.ServeContent would send nothing or a line of text.
type refuser struct {
	http.ResponseWriter

	c       *gin.Context
	refused bool
}

// WriteHeader implements http.ResponseWriter. Instead of the statuses 412 and 416 of http.ServeContent it sends a
// refusal with its envelope.
func (w *refuser) WriteHeader(status int) {
	switch status {
	case http.StatusPreconditionFailed:
		w.refuse(status, "Precondition failed", "precondition_failed")
	case http.StatusRequestedRangeNotSatisfiable:
		message := "lies outside the file, whose length is in Content-Range"
		if w.Header().Get("Content-Range") == "" {
			message = "is no range of bytes, such as bytes=0-1023"
		}
		w.refuse(status, "Range not satisfiable", "range_not_satisfiable", fault.Detail{Field: "Range", Message: message})
	default:
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *refuser) refuse(status int, message, code string, details ...fault.Detail) {
	w.refused = true
	w.Header().Del("Content-Disposition")
	_ = respond.Refuse(w.c, status, message, code, details...)
}

// Write implements io.Writer. It drops what http.ServeContent writes after a refusal.
func (w *refuser) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}
