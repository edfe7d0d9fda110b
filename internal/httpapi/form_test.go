package httpapi_test

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"testing"
)

// part is one part of a form: a field, or a file where it has a file name.
type part struct{ Name, File, Value string }

// form posts an AI creation.
func (s *server) form(key string, parts ...part) reply {
	s.Helper()
	body, media := encodeForm(s.T, parts...)
	return s.send(request{Method: http.MethodPost, Path: "/api/v1/companies/upload/ai", Key: key, Body: body, Type: media})
}

func encodeForm(t *testing.T, parts ...part) (body []byte, media string) {
	t.Helper()
	var out bytes.Buffer
	writer := multipart.NewWriter(&out)
	for _, p := range parts {
		header := textproto.MIMEHeader{}
		disposition := `form-data; name="` + p.Name + `"`
		if p.File != "" {
			disposition += `; filename="` + strings.TrimSpace(p.File) + `"`
			header.Set("Content-Type", "application/octet-stream")
		}
		header.Set("Content-Disposition", disposition)
		w, err := writer.CreatePart(header)
		must(t, err)
		_, err = io.WriteString(w, p.Value)
		must(t, err)
	}
	must(t, writer.Close())
	return out.Bytes(), writer.FormDataContentType()
}

// formWriter writes a form while it is sent.
type formWriter struct {
	t      *testing.T
	pipe   *io.PipeWriter
	writer *multipart.Writer
	media  string
}

func newFormWriter(t *testing.T, pipe *io.PipeWriter) *formWriter {
	t.Helper()
	writer := multipart.NewWriter(pipe)
	return &formWriter{t: t, pipe: pipe, writer: writer, media: writer.FormDataContentType()}
}

// file writes a file and calls look now and then.
func (f *formWriter) file(name string, content io.Reader, look func()) {
	part, err := f.writer.CreateFormFile(name, name+".bin")
	for i := 0; err == nil; i++ {
		if _, err = io.CopyN(part, content, 1<<20); i%10 == 0 {
			look()
		}
	}
	if !errors.Is(err, io.EOF) {
		f.t.Errorf("write %s: %v", name, err)
	}
}

func (f *formWriter) close(fields ...part) {
	for _, field := range fields {
		if err := f.writer.WriteField(field.Name, field.Value); err != nil {
			f.t.Errorf("write %s: %v", field.Name, err)
		}
	}
	_ = f.writer.Close()
	_ = f.pipe.Close()
}
