package webhook

// Limits of a webhook; lengths are in characters.
const (
	maxURL         = 2000
	maxDescription = 255
	maxWebhooks    = 50 // of an account
)
