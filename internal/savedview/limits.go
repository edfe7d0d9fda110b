package savedview

// Limits of lengths, in characters.
const (
	maxName   = 100
	maxSearch = 1000
)

// Most is the largest number of views that a user may create in an account.
const Most = 100
