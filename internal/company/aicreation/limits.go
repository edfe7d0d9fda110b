package aicreation

// MaxText is the largest number of bytes of a text that are analyzed and stored.
const MaxText = 1 << 20

// Bounds of an imported company. The form of AI creation has the same ones.
const (
	maxRowField   = 64 << 10 // bytes
	maxExternalID = 500      // characters
)
