package form

// The maximum number of answers in a submission, and the maximum length of an answer's key.
const (
	MaxAnswers = 1000
	MaxKey     = 255 // characters
)

// MaxExternalID is the maximum length of an ExternalID, in characters.
const MaxExternalID = 500
