package form

// Limits of what a client sends.
const (
	MaxAnswers = 1000
	MaxKey     = 255 // characters
)

// MaxExternalID is how many characters an ExternalID has at most.
const MaxExternalID = 500
