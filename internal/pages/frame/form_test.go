package frame_test

import (
	"testing"

	"dealflow/internal/pages/frame"
)

func TestCapitalized(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "é": "É", "is too long": "Is too long", "7 days": "7 days"} {
		if got := frame.Capitalized(text); got != want {
			t.Errorf("%q capitalized is %q, want %q", text, got, want)
		}
	}
}
