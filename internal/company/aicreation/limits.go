package aicreation

// MaxText is how many bytes of text are analyzed and kept.
const MaxText = 1 << 20

// Bounds of an imported company, as the form of AI creation has them.
const (
	maxRowField   = 64 << 10 // bytes
	maxExternalID = 500      // characters
)
