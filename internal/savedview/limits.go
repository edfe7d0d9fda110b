package savedview

// Limits of lengths, in characters.
const (
	maxName   = 100
	maxSearch = 1000
)

// Most is how many views a user may make in an account.
const Most = 100
