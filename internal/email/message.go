package email

import "dealflow/internal/mimemail"

// Message is an email that was read but not stored yet. Files holds the contents of its attachments; StoreFiles stores
// these and Raw, and sets their keys in the Draft.
type Message struct {
	Draft

	Raw   []byte // the whole MIME message; nil where it came in another shape
	Files []mimemail.File
}

// ReadMIME reads a MIME message. The error is InvalidBody as for mimemail.Read.
func ReadMIME(raw []byte) (Message, error) { return draftOf(mimemail.Read(raw)) }

// ReadHook reads a mail as a service for incoming mail sends it; mimemail.ReadHook has the types and errors.
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
