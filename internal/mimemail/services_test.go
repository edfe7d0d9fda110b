package mimemail_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"os"
	"strings"
	"testing"

	"dealflow/internal/fault"
	"dealflow/internal/mimemail"
)

func sample(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/webhooks/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// fieldsOf are the fields of a form, as in a sample.
func fieldsOf(t *testing.T, name string) map[string]string {
	t.Helper()
	var fields map[string]string
	if err := json.Unmarshal(sample(t, name), &fields); err != nil {
		t.Fatal(err)
	}
	delete(fields, "_note")
	return fields
}

// posted is a form with a file under this name, unless it is empty.
func posted(t *testing.T, fields map[string]string, fileField string) (contentType string, body []byte) {
	t.Helper()
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if fileField != "" {
		head := textproto.MIMEHeader{"Content-Type": {"application/pdf"}}
		head.Set("Content-Disposition", fmt.Sprintf(`form-data; name=%q; filename="Brackenfield-Deck.pdf"`, fileField))
		part, err := w.CreatePart(head)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = part.Write([]byte("%PDF-1.4\n%%EOF\n"))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), out.Bytes()
}

func TestEveryServicesShapeIsTheSameMail(t *testing.T) {
	t.Parallel()
	mailgun, sendGrid := fieldsOf(t, "mailgun_route_forward.json"), fieldsOf(t, "sendgrid_inbound_parse.json")
	delete(sendGrid, "email")
	mailgunType, mailgunBody := posted(t, mailgun, "attachment-1")
	sendGridType, sendGridBody := posted(t, sendGrid, "attachment1")
	for name, tc := range map[string]struct {
		contentType string
		body        []byte
		to, via     string
	}{
		"postmark": {
			"application/json; charset=utf-8", sample(t, "postmark_inbound.json"), "hash+acct42@inbound.postmarkapp.com",
			"postmark",
		},
		"cloudflare": {
			"application/json", sample(t, "cloudflare_email_worker_postal_mime.json"), "deals+acct42@fund.example", "cloudflare",
		},
		"mailgun":  {mailgunType, mailgunBody, "deals@mg.fund.example", "mailgun"},
		"sendgrid": {sendGridType, sendGridBody, "deals@parse.fund.example", "sendgrid"},
	} {
		m, err := mimemail.ReadHook(tc.contentType, tc.body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if m.FromEmail != ivy || m.FromName != "Ivy Marsh" || m.ID != "<CAF9x2k@mail.brackenfield.example>" ||
			*m.Subject != "Brackenfield - seed deck" {
			t.Errorf("%s: from %q %q, id %q, subject %v", name, m.FromEmail, m.FromName, m.ID, m.Subject)
		}
		if !strings.HasPrefix(m.Content, "Hi,\n\nour deck: https://docsend.com/view/smpl1abc2def") ||
			strings.Contains(m.Content, "<p>") || len(m.ToEmails) != 1 || m.ToEmails[0] != tc.to {
			t.Errorf("%s: to %v, content %q", name, m.ToEmails, m.Content)
		}
		if len(m.Files) != 1 || m.Files[0].Filename != "Brackenfield-Deck.pdf" ||
			m.Files[0].ContentType != "application/pdf" || !bytes.HasPrefix(m.Files[0].Content, []byte("%PDF-1.4")) {
			t.Errorf("%s: files %+v", name, m.Files)
		}
		if meta := metaOf(t, m); meta["received_by"] != tc.via || meta["message_id"] != m.ID || m.Raw != nil {
			t.Errorf("%s: metadata %s", name, m.Metadata)
		}
	}
}

func TestRawMIMEComesInEveryEnvelope(t *testing.T) {
	t.Parallel()
	raw := head + mixed("b", textPart("Hi"))
	mailgunType, mailgunBody := posted(t, map[string]string{"body-mime": raw, "recipient": "x@y.example"}, "")
	sendGridType, sendGridBody := posted(t, map[string]string{"email": raw, "envelope": "{}"}, "")
	encoded, err := json.Marshal(map[string]string{"From": "x", "RawEmail": raw})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		contentType string
		body        []byte
	}{
		"raw": {"message/rfc822", []byte(raw)}, "mailgun": {mailgunType, mailgunBody},
		"sendgrid": {sendGridType, sendGridBody}, "postmark": {"application/json", encoded},
		"mailgun, no files": {"application/x-www-form-urlencoded", []byte(url.Values{"body-mime": {raw}}.Encode())},
	} {
		m, err := mimemail.ReadHook(tc.contentType, tc.body)
		if err != nil || m.Content != "Hi" || string(m.Raw) != raw || m.ID != "<1@x>" {
			t.Errorf("%s: %v, content %q, raw %q", name, err, m.Content, m.Raw)
		}
	}
}

func TestAFormsCharsetsAreMinded(t *testing.T) {
	t.Parallel()
	contentType, body := posted(t, map[string]string{
		"headers": "Message-ID: <2@x>\n", "envelope": `{"to":["a@x.example"],"from":"b@x.example"}`,
		"from": "J\xf8rn <j@x.example>", "subject": "\x93\xfa\x96\x7b",
		"text": "Gr\xfc\xdfe", "charsets": `{"from":"iso-8859-1","subject":"shift_jis","text":"ISO-8859-1"}`,
	}, "")
	m, err := mimemail.ReadHook(contentType, body)
	if err != nil || m.FromName != "Jørn" || *m.Subject != "日本" || m.Content != "Grüße" || len(m.ToEmails) != 1 {
		t.Errorf("%v: %+v", err, m)
	}
}

func TestHooksAreRefusedWithAReason(t *testing.T) {
	t.Parallel()
	broken, _ := posted(t, nil, "")
	noSender, noSenderBody := posted(t, map[string]string{"body-plain": "Hi"}, "")
	other, otherBody := posted(t, map[string]string{"a": "b"}, "")
	for name, tc := range map[string]struct {
		contentType, body string
		want              fault.Kind
		field             string
	}{
		"bad JSON":     {"application/json", `{"From":`, fault.InvalidBody, "body"},
		"another JSON": {"application/json", `{"id":1}`, fault.InvalidBody, "From"},
		"a list":       {"application/json", `[1]`, fault.InvalidBody, "body"},
		"wrong type":   {"application/json", `{"From":1}`, fault.InvalidBody, "From"},
		"not UTF-8":    {"application/json", "{\"From\":\"\xff\"}", fault.InvalidBody, "body"},
		"no sender":    {"application/json", `{"From":""}`, fault.InvalidBody, "from_email"},
		"no mail":      {"application/json", `{"email":null}`, fault.InvalidBody, "email"},
		"bad base64": {
			"application/json", `{"From":"a@x.example","Attachments":[{"Name":"a","Content":"%%"}]}`, fault.InvalidBody,
			"Attachments.0.Content",
		},
		"half a form":    {broken, "--x", fault.InvalidBody, "body"},
		"another form":   {other, string(otherBody), fault.InvalidBody, "body"},
		"form, no From":  {noSender, string(noSenderBody), fault.InvalidBody, "from_email"},
		"no boundary":    {"multipart/form-data", "x", fault.InvalidBody, "Content-Type"},
		"empty MIME":     {"message/rfc822", "", fault.InvalidBody, "body"},
		"another type":   {"text/html", "<p>", fault.UnsupportedType, "Content-Type"},
		"no type":        {"", "x", fault.UnsupportedType, "Content-Type"},
		"bad form query": {"application/x-www-form-urlencoded", "%zz", fault.InvalidBody, "body"},
	} {
		_, err := mimemail.ReadHook(tc.contentType, []byte(tc.body))
		wantKind(t, name, err, tc.want, tc.field)
	}
}

func TestMailgunsSignatureIsFoundWhereverItStands(t *testing.T) {
	t.Parallel()
	fields := fieldsOf(t, "mailgun_route_forward.json")
	contentType, body := posted(t, fields, "attachment-1")
	query := url.Values{}
	for name, value := range fields {
		query.Set(name, value)
	}
	for name, tc := range map[string]struct{ contentType, body, want string }{
		"multipart": {contentType, string(body), fields["signature"]},
		"query":     {"application/x-www-form-urlencoded", query.Encode(), fields["signature"]},
		"JSON":      {"application/json", `{"signature":"x"}`, ""},
		"nothing":   {"", "", ""},
	} {
		got, err := mimemail.ReadSigned(tc.contentType, strings.NewReader(tc.body))
		if err != nil || got.Signature != tc.want ||
			tc.want != "" && (got.Timestamp != fields["timestamp"] || got.Token != fields["token"]) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestOddNamesOfFilesInForms sends a form whose file has a name that package mime cannot read, or should not.
func TestOddNamesOfFilesInForms(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		`"deck.pdf"`: "deck.pdf", `our deck.pdf`: "our deck.pdf", `"our "best" deck.pdf"`: "our",
		`"one.pdf"; filename="two.pdf"`: "one.pdf", `"=?UTF-8?Q?d=C3=A9ck.pdf?="`: "déck.pdf",
		"\"d\xe9ck.pdf\"": "déck.pdf", `"a.pdf"; filename*=utf-8''b.pdf`: "b.pdf", `""`: "attachment-1.pdf",
	} {
		part := "--B\r\nContent-Disposition: form-data; name="
		body := part + `"headers"` + "\r\n\r\nFrom: ivy@brackenfield.example\r\n\r\n" +
			part + `"attachment1"; filename=` + sent + "\r\nContent-Type: application/pdf\r\n\r\n%PDF\r\n--B--\r\n"
		m, err := mimemail.ReadHook("multipart/form-data; boundary=B", []byte(body))
		if err != nil || len(m.Files) != 1 || m.Files[0].Filename != want || string(m.Files[0].Content) != "%PDF" {
			t.Errorf("filename=%s: %+v, %v; want %s", sent, m.Files, err, want)
		}
	}
}
