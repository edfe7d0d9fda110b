package outbox

import "time"

// How long a mailed token works.
const (
	InvitationLifetime   = 7 * 24 * time.Hour
	VerificationLifetime = 24 * time.Hour
	ResetLifetime        = time.Hour
)
