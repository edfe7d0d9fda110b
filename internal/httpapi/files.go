package httpapi

import (
	"mime"
	"net/http"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
)

func noDeck() error {
	return fault.New(fault.NotFound, "no_deck", fault.Detail{Field: "id", Message: "this company has no stored deck"})
}

// serveFile sends a stored file to whoever has a signed URL. What people uploaded may be anything, so nothing of it
// ever runs in our origin: it is an attachment, its type is not guessed again, and a browser that opens it all the
// same does so in a sandbox.
func (a *API) serveFile(c *gin.Context) error {
	grant, err := a.Signer.Verify(c.Request.URL, a.Now())
	if err != nil {
		return err
	}
	file, err := a.Blobs.Open(c.Request.Context(), grant.Key)
	if err != nil {
		return err
	}
	defer file.Close()
	header := c.Writer.Header()
	header.Set("Content-Type", file.MediaType)
	header.Set("Content-Disposition", attachment(grant.Name))
	header.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	header.Set("Cache-Control", "private, max-age=0, must-revalidate")
	header.Set("Cross-Origin-Resource-Policy", "same-site")
	http.ServeContent(&rangeRefuser{ResponseWriter: c.Writer, c: c, a: a}, c.Request, "", file.ModTime, file)
	return nil
}

// attachment returns the Content-Disposition with the file's name, by RFC 6266 where it is not plain ASCII.
func attachment(name string) string {
	if name == "" {
		return "attachment"
	}
	if value := mime.FormatMediaType("attachment", map[string]string{"filename": name}); value != "" {
		return value
	}
	return "attachment"
}

// rangeRefuser gives a range that cannot be had the envelope of every other refusal; http.ServeContent would send a
// line of text.
type rangeRefuser struct {
	http.ResponseWriter

	c       *gin.Context
	a       *API
	refused bool
}

// WriteHeader is part of http.ResponseWriter.
func (w *rangeRefuser) WriteHeader(status int) {
	if status != http.StatusRequestedRangeNotSatisfiable {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.refused = true
	header := w.Header()
	header.Del("Content-Disposition")
	body := failure{Error: "Range not satisfiable", Code: "range_not_satisfiable", Details: []detail{
		{Field: "Range", Message: "lies outside the file, whose length is in Content-Range"},
	}}
	_ = writeJSON(w.c, status, body)
}

// Write is part of io.Writer.
func (w *rangeRefuser) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}
