package share

// Limits of what a client sends; lengths are in characters.
const (
	MaxName        = 255
	MaxDescription = 10000
	MaxPassword    = 200
	MaxCompanies   = 100
)
