package account

// Bounds of what people send of themselves and their teams.
const (
	maxAddress = 254 // bytes of an email address
	maxName    = 255 // characters of a name
)
