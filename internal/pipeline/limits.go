package pipeline

import "math"

// Limits of what a client sends.
const (
	maximumName        = 255    // characters; also of an option
	maximumDescription = 10_000 // characters
	maximumOrder       = 1_000_000
	maximumOptions     = 200
)

// lastButOne is the largest rank or position after which another one fits into the column, a 32-bit integer. An import
// of an account may bring a larger one.
const lastButOne = math.MaxInt32 - 1
