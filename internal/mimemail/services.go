package mimemail

import (
	"encoding/base64"
	"encoding/json"
	"mime"
	"net/textproto"
	"strings"
	"unicode/utf8"

	"dealflow/internal/fault"
)

// ReadHook reads a mail as a service for incoming mail forwards it: raw MIME (message/rfc822, and also message/global,
// text/plain and application/octet-stream), the JSON of Postmark or postal-mime (application/json), or the forms of
// Mailgun and SendGrid. The error is UnsupportedType for another type, and InvalidBody for a body that it cannot read.
func ReadHook(contentType string, body []byte) (Message, error) {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		media = ""
	}
	switch media {
	case "message/rfc822", "message/global", "text/plain", "application/octet-stream":
		return Read(body)
	case "application/json":
		return readJSONHook(body)
	case "application/x-www-form-urlencoded", "multipart/form-data":
		fields, err := readForm(media, params["boundary"], body)
		if err != nil {
			return Message{}, err
		}
		return fields.message()
	}
	return Message{}, fault.New(fault.UnsupportedType, "unsupported_media_type", fault.Detail{
		Field:   "Content-Type",
		Message: "must be message/rfc822, application/json, multipart/form-data or application/x-www-form-urlencoded",
	})
}

// hooked is a mail as a service sends it: its header, and the texts and files into which the service divided it.
type hooked struct {
	header textproto.MIMEHeader
	text   string
	html   string
	files  []File   // with the names that the service gives them
	to     []string // the recipients of the envelope
	via    string
	id     string // by which the service knows the mail; used where the mail has no Message-ID
}

// set sets a header, unless the mail has that header or the value is empty.
func (h *hooked) set(name, value string) {
	if h.header == nil {
		h.header = textproto.MIMEHeader{}
	}
	if name = textproto.CanonicalMIMEHeaderKey(name); value != "" && len(h.header[name]) == 0 {
		h.header[name] = []string{value}
	}
}

func (h *hooked) add(name, value string) {
	if h.header == nil {
		h.header = textproto.MIMEHeader{}
	}
	h.header.Add(name, value)
}

// message returns the mail. It reads the header as Read reads the header of a MIME message, takes the recipients from
// the envelope if there is no To, and takes the text from the HTML if there is no plain text. The error is that of
// readHead.
func (h *hooked) message() (Message, error) {
	r := &reader{}
	if err := r.readHead(h.header); err != nil {
		return Message{}, err
	}
	m := &r.message
	if len(m.ToEmails) == 0 {
		m.ToEmails = h.to
	}
	r.put("envelope_to", h.to)
	r.put("received_by", h.via)
	text := storable(h.text)
	if strings.TrimSpace(text) == "" {
		text = HTMLText(storable(h.html))
	}
	m.Content = joinPieces([]string{text})
	for _, f := range h.files {
		r.addFile(f.Filename, strings.ToLower(f.ContentType), f.Content)
	}
	if m.ID == "" {
		m.ID = shortID(h.id)
	}
	r.finish([]byte(strings.Join([]string{m.FromEmail, h.header.Get("Date"), h.header.Get("Subject"), h.text, h.html},
		"\n")))
	return r.message, nil
}

func readJSONHook(body []byte) (Message, error) {
	if !utf8.Valid(body) {
		return Message{}, fault.Field("body", "is not valid UTF-8")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return Message{}, fault.JSON(err)
	}
	if _, isPostal := members["email"]; isPostal {
		return readPostal(body)
	}
	_, hasFrom := members["From"]
	_, hasFull := members["FromFull"]
	if !hasFrom && !hasFull {
		return Message{}, fault.Field("From",
			"is required: the body is neither Postmark's JSON nor that of postal-mime, whose mail is in \"email\"")
	}
	return readPostmark(body)
}

func decodeBase64(text string) ([]byte, error) {
	return base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
}
