package webhook

import "time"

// Limits of a webhook; lengths are in characters.
const (
	maxURL         = 2000
	maxDescription = 255
	maxWebhooks    = 50 // of an account
)

// Limits of one attempt.
const (
	sendTimeout = 15 * time.Second
	maxResponse = 4 << 10 // bytes that are read, so that the connection can be used again
	maxHeaders  = 32 << 10
)
