package pipeline

// Limits of what a client sends.
const (
	maximumName        = 255    // characters; also of an option
	maximumDescription = 10_000 // characters
	maximumOrder       = 1_000_000
	maximumOptions     = 200
)
