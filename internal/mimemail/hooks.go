package mimemail

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"net/mail"
	"net/textproto"
	"strings"
	"unicode/utf8"

	"dealflow/internal/fault"
)

// ReadHook reads a mail as a service for incoming mail forwards it: raw MIME (message/rfc822, and also text/plain and
// application/octet-stream), the JSON of Postmark or postal-mime (application/json), or the forms of Mailgun and
// SendGrid. The error is UnsupportedType for another type, and InvalidBody for a body that it cannot read.
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

// message returns the mail. It reads the header as Read reads the header of a MIME message, and takes the text from the
// HTML if there is no plain text.
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

// postmark is Postmark's JSON.
type postmark struct {
	FromFull          *postmarkAddress
	From              string
	To                string
	ToFull            []postmarkAddress
	Cc                string
	Bcc               string
	OriginalRecipient string
	Subject           string
	MessageID         string
	ReplyTo           string
	Date              string
	TextBody          string
	HtmlBody          string
	Headers           []struct{ Name, Value string }
	Attachments       []struct{ Name, Content, ContentType string }
	RawEmail          string // where "include raw email" is on
}

type postmarkAddress struct{ Email, Name string }

// postal is the JSON that postal-mime makes in a Cloudflare Email Worker.
type postal struct {
	Envelope struct {
		From string `json:"from"`
		To   string `json:"to"`
	} `json:"envelope"`
	Email *struct {
		MessageID   string          `json:"messageId"`
		Date        string          `json:"date"`
		Subject     string          `json:"subject"`
		From        postalAddress   `json:"from"`
		To          []postalAddress `json:"to"`
		Cc          []postalAddress `json:"cc"`
		ReplyTo     []postalAddress `json:"replyTo"`
		InReplyTo   string          `json:"inReplyTo"`
		References  string          `json:"references"`
		Headers     []struct{ Key, Value string }
		Text        string `json:"text"`
		HTML        string `json:"html"`
		Attachments []struct {
			Filename, MimeType, Encoding, Content string
		} `json:"attachments"`
	} `json:"email"`
}

type postalAddress struct{ Address, Name string }

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

func readPostmark(body []byte) (Message, error) {
	var p postmark
	if err := json.Unmarshal(body, &p); err != nil {
		return Message{}, fault.JSON(err)
	}
	if p.RawEmail != "" {
		return Read([]byte(p.RawEmail))
	}
	h := &hooked{text: p.TextBody, html: p.HtmlBody, via: "postmark", id: p.MessageID}
	for _, header := range p.Headers {
		h.add(header.Name, header.Value)
	}
	from := p.From
	if p.FromFull != nil && p.FromFull.Email != "" {
		from = (&mail.Address{Name: p.FromFull.Name, Address: p.FromFull.Email}).String()
	}
	for name, value := range map[string]string{
		"From": from, "To": p.To, "Cc": p.Cc, "Bcc": p.Bcc, "Subject": p.Subject, "Reply-To": p.ReplyTo, "Date": p.Date,
	} {
		h.set(name, value)
	}
	if p.OriginalRecipient != "" {
		h.to = []string{p.OriginalRecipient}
	}
	for i, a := range p.Attachments {
		content, err := decodeBase64(a.Content)
		if err != nil {
			return Message{}, fault.Field(fmt.Sprintf("Attachments.%d.Content", i), "is not base64")
		}
		h.files = append(h.files, File{Filename: a.Name, ContentType: a.ContentType, Content: content})
	}
	return h.message()
}

func readPostal(body []byte) (Message, error) {
	var p postal
	if err := json.Unmarshal(body, &p); err != nil {
		return Message{}, fault.JSON(err)
	}
	if p.Email == nil {
		return Message{}, fault.Field("email", "must be a JSON object")
	}
	e := p.Email
	h := &hooked{text: e.Text, html: e.HTML, via: "cloudflare"}
	for _, header := range e.Headers {
		h.add(header.Key, header.Value)
	}
	for name, value := range map[string]string{
		"From": addressList(e.From), "To": addressList(e.To...), "Cc": addressList(e.Cc...),
		"Reply-To": addressList(e.ReplyTo...), "Subject": e.Subject,
		"Date": e.Date, "Message-Id": e.MessageID, "In-Reply-To": e.InReplyTo, "References": e.References,
		"Sender": p.Envelope.From,
	} {
		h.set(name, value)
	}
	if p.Envelope.To != "" {
		h.to = []string{p.Envelope.To}
	}
	for i, a := range e.Attachments {
		content, err := []byte(a.Content), error(nil)
		if a.Encoding != "utf8" {
			content, err = decodeBase64(a.Content)
		}
		if err != nil {
			return Message{}, fault.Field(fmt.Sprintf("email.attachments.%d.content", i),
				"is not base64: have postal-mime encode attachments so")
		}
		h.files = append(h.files, File{Filename: a.Filename, ContentType: a.MimeType, Content: content})
	}
	return h.message()
}

func addressList(addresses ...postalAddress) string {
	var all []string
	for _, a := range addresses {
		if a.Address != "" {
			all = append(all, (&mail.Address{Name: a.Name, Address: a.Address}).String())
		}
	}
	return strings.Join(all, ", ")
}

func decodeBase64(text string) ([]byte, error) {
	return base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
}
