package mimemail

import (
	"encoding/json"
	"fmt"
	"net/mail"
	"strings"

	"dealflow/internal/fault"
)

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
