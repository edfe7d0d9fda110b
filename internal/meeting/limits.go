package meeting

// Limits of what a client sends; lengths are in characters.
const (
	MaxTitle     = 255
	MaxAttendees = 1000
	MaxAttendee  = 255
)
