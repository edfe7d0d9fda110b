// Package mimemail reads mails as they are really sent: MIME messages, however broken, and the JSON and forms in which
// services for incoming mail forward them. It does not use the database.
package mimemail

import "encoding/json"

// Message is a mail after reading.
type Message struct {
	ID        string // the Message-ID; without one an id by the service that forwarded the mail, or a hash of the content
	FromEmail string
	FromName  string
	ToEmails  []string
	Subject   *string         // nil: it has none
	Content   string          // plain text
	Metadata  json.RawMessage // a JSON object, never nil
	Raw       []byte          // the whole MIME message; nil if it came in another shape
	Files     []File
}

// File is an attachment with its content.
type File struct {
	Filename    string // as a person should see it: never a path, never empty
	ContentType string // media type without parameters, as the sender calls it
	Content     []byte
}
