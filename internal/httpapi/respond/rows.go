package respond

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/gin-gonic/gin"

	"dealflow/internal/httpapi/wire"
	"dealflow/internal/postgres/paging"
)

// Paged answers with a page of a list, as the member of data with this name, and with its pagination beside the list.
// If member is "", data itself is the list, and the pagination is beside data. list is called for each part of the
// page; its queries must call postgres.Query.Within with the page that it gets. An answer of several parts is sent part
// by part. After an error Paged returns the error if nothing was sent yet. Otherwise it panics with
// http.ErrAbortHandler, which drops the connection, since an answer that simply ended would look complete to a client.
func Paged[R, W any](c *gin.Context, member string, page paging.Page,
	list func(paging.Page) ([]R, *paging.Position, error), show func(R) W, pagination func(next *paging.Position) any,
) error {
	out := newRowWriter(c, member)
	var shown W // one for all rows, whose address the encoder takes
	next, err := paging.InParts(page, list, func(rows []R) error {
		if err := out.sendPart(); err != nil {
			return err
		}
		for _, row := range rows {
			shown = show(row)
			if err := out.add(&shown); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = out.end(pagination(next))
	}
	return CutOff(c, out.begun, err)
}

// CutOff returns the error of an answer that is sent in parts; nil for none. If the answer has begun, CutOff panics
// with http.ErrAbortHandler instead, which drops the connection, since an answer that simply ended would look complete
// to a client.
func CutOff(c *gin.Context, begun bool, err error) error {
	if err != nil && begun {
		_ = c.Error(err)
		panic(http.ErrAbortHandler)
	}
	return err
}

// rowWriter writes the answer of Paged.
type rowWriter struct {
	c       *gin.Context
	closing string       // what ends data after the pagination
	body    bytes.Buffer // what is not sent yet
	encoder *json.Encoder
	rows    int
	begun   bool // whether a part was sent
}

func newRowWriter(c *gin.Context, member string) *rowWriter {
	w := &rowWriter{c: c}
	w.encoder = wire.NewEncoder(&w.body)
	_, _ = w.body.WriteString(`{"success":true,"data":`)
	if member != "" {
		w.closing = "}"
		_, _ = w.body.WriteString(`{"` + member + `":`)
	}
	_ = w.body.WriteByte('[')
	return w
}

// add encodes a row into the body, and sends nothing. After an error, which is that of the encoder, the rowWriter must
// not be used any more.
func (w *rowWriter) add(row any) error {
	if w.rows > 0 {
		_ = w.body.WriteByte(',')
	}
	w.rows++
	return w.encode(row)
}

func (w *rowWriter) encode(value any) error {
	err := w.encoder.Encode(value)
	w.body.Truncate(max(0, w.body.Len()-1)) // the encoder ends each value with a line feed
	return err
}

// sendPart sends the rows that were added. It does nothing if no row was added yet, so that an error of the first part
// can still be answered.
func (w *rowWriter) sendPart() error {
	if w.rows == 0 {
		return nil
	}
	return w.send()
}

func (w *rowWriter) send() error {
	if !w.begun {
		w.begun = true
		w.c.Header("Content-Type", jsonMediaType)
		w.c.Status(http.StatusOK)
	}
	_, err := w.body.WriteTo(w.c.Writer)
	return err
}

// end writes the pagination, and sends the rest of the answer.
func (w *rowWriter) end(pagination any) error {
	_, _ = w.body.WriteString(`],"pagination":`)
	if err := w.encode(pagination); err != nil {
		return err
	}
	_, _ = w.body.WriteString(w.closing)
	if authType := Envelope(w.c, nil).AuthType; authType != "" {
		_, _ = w.body.WriteString(`,"authType":"` + authType + `"`)
	}
	_, _ = w.body.WriteString("}\n")
	return w.send()
}
