package savedview

// Limits of lengths, in characters.
const (
	maxName   = 100
	maxSearch = 500 // as that of a list of companies
)

// Most is the largest number of views that a user may create in an account.
const Most = 100
