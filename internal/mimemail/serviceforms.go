package mimemail

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/url"

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

// message returns the mail in a form. It distinguishes the services by the fields that only they send. The error is
// InvalidBody for the form of another service, and for a mail that cannot be read.
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
