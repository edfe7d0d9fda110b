package mimemail

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"

	"dealflow/internal/fault"
)

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

// Signed is Mailgun's signature with what it signs: not the mail, but the time of sending and a token that is sent
// once.
type Signed struct{ Timestamp, Token, Signature string }

// ReadSigned looks for Mailgun's signature in a form. It reads a multipart form only up to the signature, at most
// maxFormParts parts, and keeps no files in memory; it reads a URL-encoded form whole, so the caller must limit body.
// It returns the zero Signed for a body that is not a form, and empty members for fields that the form lacks. The error
// is InvalidBody if the form is malformed or cut off, or if reading body fails.
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
