package email

// Message is an email as it came from outside, read but not kept yet. Files hold what its attachments are; StoreFiles puts them, and Raw, into storage
// and says in the Draft where they lie.
type Message struct {
	Draft

	Raw   []byte // the whole MIME message; nil where it came in another shape
	Files []IncomingFile
}

// IncomingFile is an attachment with its content.
type IncomingFile struct {
	Filename    string // as a person should see it: never a path, never empty
	ContentType string // media type without parameters, as the sender calls it
	Content     []byte
}
