package hooks

import (
	"testing"

	"dealflow/internal/retention"
)

// A token that was forgotten while its signature is still accepted could be used again, for another mail.
func TestTokensOfMailgunAreKeptLongerThanSignaturesAreAccepted(t *testing.T) {
	t.Parallel()
	if accepted := mailgunAge + mailgunAhead; retention.MailgunTokens < accepted+mailgunAge/2 {
		t.Errorf("tokens are kept for %v, signatures accepted for %v", retention.MailgunTokens, accepted)
	}
}
