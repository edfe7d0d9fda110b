package signin

import (
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/account"
)

// TestUsesOfAnOutageAreKeptOnce checks that uses of sessions and keys that cannot be written for hours are kept once
// for each session, key and address, not once for each minute.
func TestUsesOfAnOutageAreKeptOnce(t *testing.T) {
	t.Parallel()
	var service Service
	ada := account.Caller{UserID: uuid.New(), SessionID: uuid.New()}
	key := account.Caller{UserID: ada.UserID, KeyID: uuid.New()}
	uses := &service.uses
	for range 3 {
		uses.noted = nil // a minute passes
		for _, address := range []string{"192.0.2.1", "192.0.2.2"} {
			service.Used(ada, address)
			service.Used(key, address)
		}
		for range maxNoted/2 + 1 {
			service.refused(t.Context(), ada.UserID)
		}
		left := uses.pending
		uses.pending = pendingUses{}
		// while that is written, in vain:
		service.Used(ada, "192.0.2.3")
		service.refused(t.Context(), ada.UserID)
		uses.putBack(left)
	}
	waiting := [3]int{len(uses.pending.Sessions), len(uses.pending.Keys), len(uses.pending.Refused)}
	if want := [3]int{3, 2, maxNoted}; waiting != want {
		t.Errorf("%d uses of sessions, of keys, and refusals wait, want %d", waiting, want)
	}
	if last := uses.pending.Sessions[2].Address; last != "192.0.2.3" {
		t.Errorf("the last use was from %s", last)
	}
}
