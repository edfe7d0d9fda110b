package jobs

import (
	"testing"
	"time"
)

// After an outage of the database the receivers of imports, which could not show that they live, get time to do so.
func TestLostImportsAreNotLookedForRightAfterAnOutage(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		sound time.Time
		want  bool
	}{
		"the last look failed": {time.Time{}, false},
		"just back":            {time.Now(), false},
		"long sound":           {time.Now().Add(-2 * returnGrace), true},
	} {
		if got := (&Sweeper{sound: tc.sound}).mayEndLost(time.Now()); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestLostImportsAreNotLookedForRightAfterAPause suspends the machine: the sweeps pause, and so do the receivers.
func TestLostImportsAreNotLookedForRightAfterAPause(t *testing.T) {
	t.Parallel()
	s, now := &Sweeper{}, time.Now()
	sweep := func(after time.Duration) bool {
		now = now.Add(after)
		s.reached(now)
		return s.mayEndLost(now)
	}
	sweep(0)
	for range int(returnGrace/time.Second) - 1 {
		if sweep(time.Second) {
			t.Error("lost imports are ended at the start, before their receivers could report")
		}
	}
	if !sweep(time.Second) {
		t.Error("lost imports are not ended after sweeps without a pause")
	}
	if sweep(5 * time.Minute) {
		t.Error("lost imports are ended right after a pause, before their receivers could report")
	}
	if sweep(time.Second); !sweep(returnGrace) {
		t.Error("lost imports are not ended any more after a pause")
	}
}
