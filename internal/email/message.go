package email

import "dealflow/internal/mimemail"

// Message is an email that was parsed but not stored yet. Files has the contents of its attachments; StoreFiles stores
// these and Raw, and sets their keys in the Draft.
type Message struct {
	Draft

	Raw   []byte // the whole MIME message; nil if it came in another shape
	Files []mimemail.File
}

// ReadMIME parses a MIME message. It returns the errors of mimemail.Read.
func ReadMIME(raw []byte) (Message, error) { return draftOf(mimemail.Read(raw)) }

// ReadHook parses a mail in a form that services for incoming mail send. mimemail.ReadHook describes these forms and
// the errors.
func ReadHook(contentType string, body []byte) (Message, error) {
	return draftOf(mimemail.ReadHook(contentType, body))
}

// draftOf returns the message for a mail, without tags and companies. It returns err unchanged.
func draftOf(m mimemail.Message, err error) (Message, error) {
	return Message{Raw: m.Raw, Files: m.Files, Draft: Draft{
		ExternalID: m.ID, FromEmail: m.FromEmail, FromName: m.FromName, ToEmails: m.ToEmails, Subject: m.Subject,
		Content: m.Content, Metadata: m.Metadata,
	}}, err
}
