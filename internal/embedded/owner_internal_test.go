package embedded

import (
	"strings"
	"testing"
)

// TestAUserWithoutANameIsToldSo has no candidate, as for such a user where there are no user namespaces. The zero owner
// would be root.
func TestAUserWithoutANameIsToldSo(t *testing.T) {
	t.Parallel()
	found, err := firstOwner(nil, t.TempDir(), func(owner) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "has no name") {
		t.Errorf("found %q with the uid %d, %v; want an error that says what is missing", found.name, found.uid, err)
	}
}
