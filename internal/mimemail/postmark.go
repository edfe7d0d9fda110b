package mimemail

import (
	"encoding/json"
	"fmt"
	"net/mail"

	"dealflow/internal/fault"
)

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
