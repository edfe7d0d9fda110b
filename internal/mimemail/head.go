package mimemail

import (
	"net/mail"
	"net/textproto"
	"strings"
	"time"
	"unicode/utf8"

	"dealflow/internal/fault"
)

// readHead reads the sender, recipients, subject and ID from the header into the message. It puts the date, the other
// addresses, the IDs of the conversation and what readList reads into the metadata, and ignores all other headers. It
// adds warnings for a missing address in From, for a missing or unreadable Date, and for values that it cuts, except
// those of readList. The error is InvalidBody if neither From nor Sender has any text.
func (r *reader) readHead(header textproto.MIMEHeader) error {
	m := &r.message
	if err := r.readSender(header); err != nil {
		return err
	}
	m.ToEmails = r.addresses(header, "To")
	if values := header.Values("Subject"); len(values) > 0 {
		subject := r.cut("subject", oneLine(decodeWords(values[0])), maxSubject)
		m.Subject = &subject
	}
	r.put("cc", r.addresses(header, "Cc"))
	r.put("bcc", r.addresses(header, "Bcc"))
	r.put("reply_to", r.addresses(header, "Reply-To"))
	r.readDate(header)
	r.readThread(header)
	r.readList(header)
	return nil
}

// oneLine returns a header's text without line breaks: an encoded word may contain line breaks, and text after a line
// break would be read as another header.
func oneLine(text string) string {
	return strings.TrimSpace(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\r' || r == '\n' }),
		" "))
}

func (r *reader) readSender(header textproto.MIMEHeader) error {
	m := &r.message
	for _, name := range []string{"From", "Sender"} {
		for _, value := range header.Values(name) {
			found := ParseAddresses(decodeHead(value))
			if len(found) > 0 {
				m.FromEmail, m.FromName = found[0].Address, found[0].Name
				if len(found) > 1 {
					r.put("from", emailsOf(found))
				}
				r.setSender(header, name)
				return nil
			}
		}
	}
	written := strings.TrimSpace(decodeWords(header.Get("From")))
	if written == "" {
		written = strings.TrimSpace(decodeWords(header.Get("Sender")))
	}
	if written == "" {
		return fault.Field("from_email", "is required: the message has neither From nor Sender")
	}
	r.warn("its From holds no address")
	m.FromEmail = r.cut("From", written, MaxAddress)
	return nil
}

// setSender shortens FromEmail and FromName to MaxAddress characters. If the header Sender, which names who sent the
// mail for the person in From, has another address than FromEmail, setSender stores that address in the metadata. from
// is the header in which FromEmail was found: if that is Sender, setSender instead adds a warning that the mail has no
// From.
func (r *reader) setSender(header textproto.MIMEHeader, from string) {
	m := &r.message
	if from == "Sender" {
		r.warn("it has no From; the sender is its Sender")
	} else if senders := ParseAddresses(decodeHead(header.Get("Sender"))); len(senders) > 0 &&
		!strings.EqualFold(senders[0].Address, m.FromEmail) {
		r.put("sender", senders[0].Address)
	}
	m.FromEmail, m.FromName = r.cut("From", m.FromEmail, MaxAddress), r.cut("From", m.FromName, MaxAddress)
}

// cut returns at most the first most characters of a text, and adds a warning if it cuts the text.
func (r *reader) cut(what, text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	r.warn("its %s has more than %d characters; these are the first", what, most)
	return string([]rune(text)[:most])
}

// addresses returns the addresses in all headers of this name, each once. It looks at the first 10 times maxAddresses
// addresses, and returns at most maxAddresses; if there are more, it adds a warning.
func (r *reader) addresses(header textproto.MIMEHeader, name string) []string {
	var found []string
	for _, value := range header.Values(name) {
		found = append(found, emailsOf(ParseAddresses(decodeHead(value)))...)
	}
	return r.most(name, distinct(found[:min(len(found), 10*maxAddresses)]), maxAddresses)
}

func (r *reader) most(what string, values []string, most int) []string {
	if len(values) <= most {
		return values
	}
	r.warn("its %s has %d entries; these are the first %d", what, len(values), most)
	return values[:most]
}

func emailsOf(addresses []*mail.Address) []string {
	var found []string
	for _, a := range addresses {
		found = append(found, a.Address)
	}
	return found
}

func (r *reader) readDate(header textproto.MIMEHeader) {
	written := strings.TrimSpace(header.Get("Date"))
	if written == "" {
		r.warn("it has no Date")
		return
	}
	when, err := ParseDate(written)
	if err != nil {
		r.warn("its Date %q could not be read", brief(written))
		return
	}
	r.put("date", when.UTC().Format(time.RFC3339))
}

// readThread reads the ID of the message, the ID of the message that it answers, and the IDs of earlier messages, and
// puts them and the ID of the conversation (see threadID) in the metadata. Of more than maxReferences IDs of earlier
// messages it keeps the first one and the last maxReferences-1, with a warning.
func (r *reader) readThread(header textproto.MIMEHeader) {
	m := &r.message
	for _, value := range header.Values("Message-Id") {
		if m.ID = MessageID(value); m.ID != "" {
			break
		}
	}
	r.put("message_id", m.ID)
	before := messageIDs(strings.Join(header.Values("In-Reply-To"), " "))
	references := messageIDs(strings.Join(header.Values("References"), " "))
	if len(before) > 0 {
		r.put("in_reply_to", before[0])
	}
	if len(references) > maxReferences { // the first is that of the thread, the last that of the message answered
		r.warn("its References has %d entries; these are the first and the last %d", len(references), maxReferences-1)
		references = append(references[:1:1], references[len(references)-maxReferences+1:]...)
	}
	r.put("references", references)
	r.put("thread_id", threadID(m.ID, before, references))
}

// threadID returns the ID of the first message of the conversation that this message names: the first of references,
// else of before, which are those of In-Reply-To, else its own, which may be "".
func threadID(own string, before, references []string) string {
	for _, ids := range [][]string{references, before, {own}} {
		if len(ids) > 0 {
			return ids[0]
		}
	}
	return own
}

func (r *reader) readList(header textproto.MIMEHeader) {
	for name, member := range map[string]string{
		"List-Id": "list_id", "Auto-Submitted": "auto_submitted", "Precedence": "precedence", "Delivered-To": "delivered_to",
	} {
		r.put(member, brief(decodeWords(header.Get(name))))
	}
}
