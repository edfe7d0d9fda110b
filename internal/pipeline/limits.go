package pipeline

import "math"

// Limits of what a client sends. A rank or position must lie between -maximumOrder and maximumOrder.
const (
	maximumName        = 255    // characters; also of an option
	maximumDescription = 10_000 // characters
	maximumOrder       = 1_000_000
	maximumOptions     = 200
)

// lastButOne is the largest rank or position to which 1 can be added in the column, a 32-bit integer. What is added
// last gets at most this plus 1, since an import of an account may have brought the maximum itself.
const lastButOne = math.MaxInt32 - 1
