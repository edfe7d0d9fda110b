package mimemail

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"

	"dealflow/internal/fault"
)

// formFields are the fields and files of a form in which Mailgun or SendGrid sends a mail.
type formFields struct {
	values map[string][]byte
	files  []File
}

func readForm(media, boundary string, body []byte) (formFields, error) {
	f := formFields{values: map[string][]byte{}}
	if media != "multipart/form-data" {
		values, err := url.ParseQuery(string(body))
		if err != nil {
			return f, fault.Field("body", "is no form: "+err.Error())
		}
		for name := range values {
			f.values[name] = []byte(values.Get(name))
		}
		return f, nil
	}
	if boundary == "" {
		return f, fault.Field("Content-Type", "names no boundary")
	}
	r := multipart.NewReader(bytes.NewReader(body), boundary)
	for count := 0; ; count++ {
		part, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		if err == nil && count >= maxFormParts {
			return f, fault.Field("body", "has too many parts")
		}
		if err == nil {
			err = f.take(part)
		}
		if err != nil {
			return f, fault.Field("body", "is no complete form: "+err.Error())
		}
	}
}

func (f *formFields) take(part *multipart.Part) error {
	content, err := io.ReadAll(part)
	if err != nil {
		return err
	}
	// Not as package mime reads it, which knows nothing of a part whose file name has quotes in it or none around it.
	disposition := readParams(part.Header.Get("Content-Disposition"))
	if !disposition.has("filename") {
		f.values[disposition.value("name")] = content
		return nil
	}
	media, _, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
	if err != nil {
		media = ""
	}
	f.files = append(f.files, File{
		Filename: disposition.value("filename"), ContentType: media, Content: content,
	})
	return nil
}

// text returns a field of a form as UTF-8. It decodes the field from the charset that SendGrid names for it, or guesses
// if none is named or it is unknown.
func (f formFields) text(name string) string {
	var charsets map[string]string
	_ = json.Unmarshal(f.values["charsets"], &charsets) // Mailgun has none
	value := f.values[name]
	if text, known := decodeCharset(value, charsets[name]); known {
		return text
	}
	text, _ := readable(value, "")
	return text
}

func (f formFields) has(name string) bool { return len(f.values[name]) > 0 }

// message returns the mail in a form. It distinguishes the services by the fields that only they send.
func (f formFields) message() (Message, error) {
	switch {
	case f.has("body-mime"):
		return Read(f.values["body-mime"])
	case f.has("message-headers"), f.has("Message-Id"), f.has("body-plain"), f.has("body-html"), f.has("recipient"):
		return f.mailgun()
	case f.has("email"):
		return Read(f.values["email"])
	case f.has("headers"), f.has("envelope"):
		return f.sendGrid()
	}
	return Message{}, fault.Field("body",
		"is a form of neither Mailgun (message-headers, body-plain or body-mime) nor SendGrid (headers, envelope or email)")
}

func (f formFields) mailgun() (Message, error) {
	h := &hooked{text: f.text("body-plain"), html: f.text("body-html"), via: "mailgun", files: f.files}
	var headers [][2]string
	if f.has("message-headers") {
		if err := json.Unmarshal(f.values["message-headers"], &headers); err != nil {
			return Message{}, fault.Field("message-headers", "must be a JSON array of pairs of strings")
		}
	}
	for _, header := range headers {
		h.add(header[0], header[1])
	}
	for _, name := range []string{
		"From", "To", "Cc", "Subject", "Date", "Message-Id", "In-Reply-To", "References", "Reply-To",
	} {
		h.set(name, f.text(name))
		h.set(name, f.text(strings.ToLower(name)))
	}
	h.set("Sender", f.text("sender"))
	for _, a := range ParseAddresses(f.text("recipient")) {
		h.to = append(h.to, a.Address)
	}
	return h.message()
}

func (f formFields) sendGrid() (Message, error) {
	h := &hooked{text: f.text("text"), html: f.text("html"), via: "sendgrid", files: f.files}
	if head, err := tree(append(fromHeader(f.values["headers"]), "\r\n\r\n"...), (&part{}).mediaType); err == nil {
		h.header = head.Header
	}
	var envelope struct {
		To   []string `json:"to"`
		From string   `json:"from"`
	}
	if f.has("envelope") && json.Unmarshal(f.values["envelope"], &envelope) != nil {
		return Message{}, fault.Field("envelope", "must be a JSON object")
	}
	for _, name := range []string{"from", "to", "cc", "subject"} {
		h.set(name, f.text(name))
	}
	h.set("Sender", envelope.From)
	h.to = envelope.To
	return h.message()
}

// Signed is Mailgun's signature with what it signs: not the mail, but the time of sending and a token that is sent
// once.
type Signed struct{ Timestamp, Token, Signature string }

// ReadSigned looks for Mailgun's signature in a form. It reads a multipart form only up to the signature, at most
// maxFormParts parts, and keeps no files in memory; it reads a URL-encoded form whole. It returns the zero Signed for a
// body that is not a form, and empty members for fields that the form lacks. The error is InvalidBody for a form that
// is cut off or malformed.
func ReadSigned(contentType string, body io.Reader) (Signed, error) {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return Signed{}, nil //nolint:nilerr // then it is no form, and has none
	}
	found := map[string]string{}
	switch {
	case media == "application/x-www-form-urlencoded":
		err = signedQuery(body, found)
	case media == "multipart/form-data" && params["boundary"] != "":
		err = signedParts(multipart.NewReader(body, params["boundary"]), found)
	}
	if err != nil {
		return Signed{}, fault.Field("body", "is no complete form: "+err.Error())
	}
	return Signed{Timestamp: found["timestamp"], Token: found["token"], Signature: found["signature"]}, nil
}

func signedQuery(body io.Reader, found map[string]string) error {
	raw, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	values, err := url.ParseQuery(string(raw))
	for _, name := range []string{"timestamp", "token", "signature"} {
		found[name] = values.Get(name)
	}
	return err
}

func signedParts(r *multipart.Reader, found map[string]string) error {
	for range maxFormParts {
		part, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch name := part.FormName(); name {
		case "timestamp", "token", "signature":
			value, err := io.ReadAll(io.LimitReader(part, maxSignatureField))
			if err != nil {
				return err
			}
			found[name] = string(value)
		}
		if len(found) == 3 {
			return nil
		}
	}
	return nil
}
