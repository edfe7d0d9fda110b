package company

// Bounds of what a client may send.
const (
	MaxName          = 255     // characters
	MaxLink          = 2048    // characters
	maximumMetadata  = 1 << 20 // bytes of all members together
	maximumAssignees = 100
)
