package pipeline

// Limits of what a client sends.
const (
	maximumName    = 255 // characters; also of an option
	maximumOrder   = 1_000_000
	maximumOptions = 200
)
