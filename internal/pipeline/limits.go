package pipeline

import "math"

// Limits of what a client sends.
const (
	maximumName        = 255    // characters; also of an option
	maximumDescription = 10_000 // characters
	maximumOrder       = 1_000_000
	maximumOptions     = 200
)

// lastButOne is the largest rank or position behind which the database has another one: an import of an account
// restores any.
const lastButOne = math.MaxInt32 - 1
