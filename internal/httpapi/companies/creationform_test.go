package companies

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"dealflow/internal/fault"
	"dealflow/internal/httpapi/request"
)

// FuzzForm looks for a form of AI creation that is neither read nor refused, and for one that stores more files than
// it may.
func FuzzForm(f *testing.F) {
	const head = "multipart/form-data; boundary=b"
	field := func(name, value string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	}
	file := "--b\r\nContent-Disposition: form-data; name=\"file_0\"; filename=\"a.pdf\"\r\nContent-Type: " +
		"application/pdf\r\n\r\n%PDF-1.7\r\n"
	f.Add(head,
		[]byte(field("text", "Hello")+field("account_id", "6655472b-d55a-4b34-84be-5c08e1a2f397")+file+"--b--\r\n"))
	f.Add(head, []byte(file+file+"--b--\r\n"))
	f.Add(head, []byte(field("metadata", `{"a":[1]}`)+field("dry_run", "yes")))
	f.Add("multipart/form-data", []byte("--b--"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		h := &Handlers{MaxFileSize: 1 << 10}
		sent := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader(body))
		sent.Header.Set("Content-Type", contentType)
		form, err := request.OpenForm(httptest.NewRecorder(), sent, h.creationForm())
		if err != nil {
			refused(t, err)
			return
		}
		stored := map[int]bool{}
		form.Store = func(position int, _ string, r io.Reader) error {
			if stored[position] || position < 0 || position > 9 {
				t.Errorf("file_%d is stored twice, or is no field", position)
			}
			stored[position] = true
			_, err := io.Copy(io.Discard, r)
			return err
		}
		if err = form.Read(); err == nil {
			_, err = draftOf(form)
		}
		if err != nil {
			refused(t, err)
		}
	})
}

func refused(t *testing.T, err error) {
	t.Helper()
	if fault.KindOf(err) == fault.Internal {
		t.Errorf("the form is refused with %v", err)
	}
}
