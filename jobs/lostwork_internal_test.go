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
		if got := (&Sweeper{sound: tc.sound}).mayEndLost(); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
