package doctor

import (
	"testing"
	"time"
)

// An answer that took long shows the time of the other clock only roughly, so that a small difference is not an error.
func TestClocks(t *testing.T) {
	t.Parallel()
	asked := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		took, ahead time.Duration
		wrong       bool
	}{
		"the same":      {time.Millisecond, 0, false},
		"slow answer":   {20 * time.Second, 12 * time.Second, false},
		"a minute late": {time.Millisecond, -time.Minute, true},
		"ahead":         {time.Second, 7 * time.Second, true},
	} {
		if err := checkClock(asked, c.took, asked.Add(c.ahead)); (err != nil) != c.wrong {
			t.Errorf("%s: %v", name, err)
		}
	}
}
