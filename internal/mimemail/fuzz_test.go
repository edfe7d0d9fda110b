package mimemail_test

import (
	"encoding/json"
	"testing"

	"dealflow/internal/fault"
	"dealflow/internal/mimemail"
)

// FuzzReadHook looks for a body of a mail service that is neither read nor refused.
func FuzzReadHook(f *testing.F) {
	types := []string{
		"application/json", "message/rfc822", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b",
	}
	f.Add(0, []byte(
		`{"From":"a@b.example","Subject":"Hi","TextBody":"Hello","Attachments":[{"Name":"a.pdf","Content":"JVBERg==",`+
			`"ContentType":"application/pdf"}]}`,
	))
	f.Add(0, []byte(`{"from":{"address":"a@b.example"},"subject":"Hi","text":"Hello","attachments":[]}`))
	f.Add(1, []byte("From: a@b.example\r\nSubject: Hi\r\n\r\nHello\r\n"))
	f.Add(2, []byte(
		"sender=a%40b.example&subject=Hi&body-plain=Hello&timestamp=1&token=t&signature=s"+
			"&message-headers=%5B%5B%22From%22%2C%22a%40b.example%22%5D%5D",
	))
	f.Add(3, []byte(
		"--b\r\nContent-Disposition: form-data; name=\"headers\"\r\n\r\nFrom: a@b.example\r\n--b\r\nContent-Disposition: "+
			"form-data; name=\"text\"\r\n\r\nHello\r\n--b--\r\n",
	))
	f.Fuzz(func(t *testing.T, kind int, body []byte) {
		m, err := mimemail.ReadHook(types[uint(kind)%uint(len(types))], body)
		if err != nil {
			if fault.KindOf(err) == fault.Internal {
				t.Fatal(err)
			}
			return
		}
		if m.FromEmail == "" || m.ID == "" || !json.Valid(m.Metadata) {
			t.Errorf("read from %q, id %q, metadata %s", m.FromEmail, m.ID, m.Metadata)
		}
	})
}
