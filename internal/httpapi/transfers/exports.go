package transfers

import (
	"cmp"
	"errors"
	"io"
	"net/http"

	"github.com/gin-gonic/gin"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/postgres"
	"dealflow/internal/transfer"
)

// ExportAccount streams the records of an account as NDJSON, as CSV, or as a zip archive of the NDJSON and the files.
// The parameter kind restricts it to one kind of records. A CSV has only one kind, by default companies. The error is
// InvalidQuery for an unknown format or kind, Unavailable if too many exports run, and NotFound or Forbidden if the
// caller is neither an owner nor an admin of the account. An error after the first byte drops the connection.
func (h *Handlers) ExportAccount(c *gin.Context, caller account.Caller) error {
	params := request.ReadQuery(c.Request)
	format := params.Choice("format", "ndjson", "ndjson", "csv", "zip")
	kind := params.Choice("kind", "", transfer.Kinds()...)
	if err := params.Err(); err != nil {
		return err
	}
	accountID := route.PathID(c, "account_id")
	export, of := h.Transfers.Export, download{"application/x-ndjson", cmp.Or(kind, "export") + ".ndjson"}
	switch format {
	case "csv":
		kind = cmp.Or(kind, transfer.KindCompanies)
		export, of = h.Transfers.ExportCSV, download{"text/csv; charset=utf-8", kind + ".csv"}
	case "zip":
		export, of = h.Transfers.ExportArchive, download{"application/zip", cmp.Or(kind, "export") + ".zip"}
	}
	return h.stream(c, of, func(out io.Writer) error {
		return export(c.Request.Context(), postgres.AsUser(caller.UserID), accountID, kind, out)
	})
}

// download is the media type and the file name of a stream.
type download struct{ media, name string }

// stream sends what write writes, as it is written. If write fails before its first byte, stream returns the error,
// which is answered like any other. If it fails later, stream panics with http.ErrAbortHandler, which drops the
// connection, since an answer that simply ended would look complete to a client. For HEAD it sends only the headers.
func (h *Handlers) stream(c *gin.Context, of download, write func(io.Writer) error) error {
	out := &streamWriter{c: c, of: of}
	err := write(out)
	if errors.Is(err, errHeadOnly) {
		return nil
	}
	return respond.CutOff(c, out.begun, err)
}

// errHeadOnly is the error of a Write that ends the answer to a HEAD request.
var errHeadOnly = errors.New("only the head of the answer is wanted")

// streamWriter sends the status and the headers of an answer before the first byte of its body.
type streamWriter struct {
	c     *gin.Context
	of    download
	begun bool
}

// Write implements io.Writer. For a HEAD request it sends the headers and returns errHeadOnly.
func (w *streamWriter) Write(p []byte) (int, error) {
	if !w.begun {
		w.begun = true
		w.c.Header("Content-Type", w.of.media)
		w.c.Header("Content-Disposition", respond.Attachment(w.of.name))
		w.c.Header("X-Accel-Buffering", "no") // a proxy would hold back data that comes slowly
		w.c.Status(http.StatusOK)
	}
	if w.c.Request.Method == http.MethodHead {
		w.c.Writer.WriteHeaderNow()
		return 0, errHeadOnly
	}
	return w.c.Writer.Write(p)
}
