package account

// The maximum lengths of the texts that people send about themselves and their teams.
const (
	maxAddress = 254 // bytes of an email address
	maxName    = 255 // characters of a name
)
