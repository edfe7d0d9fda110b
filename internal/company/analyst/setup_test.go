package analyst_test

import (
	"os"
	"testing"

	"dealflow/internal/patch"
	"dealflow/internal/pdftext"
	"dealflow/internal/testkit/companykit"
)

func TestMain(m *testing.M) {
	if pdftext.IsChild() {
		os.Exit(pdftext.RunChild())
	}
	os.Exit(m.Run())
}

// setup is a companykit.Setup with helpers of the tests of this package.
type setup struct{ *companykit.Setup }

func newSetup(t *testing.T) *setup {
	t.Helper()
	return &setup{companykit.New(t)}
}

// newSetupAt reaches the database by a URL that may lead through a proxy.
func newSetupAt(t *testing.T, url, through string) *setup {
	t.Helper()
	return &setup{companykit.NewAt(t, url, through)}
}

// set is a value that a change sets.
func set[T any](value T) patch.Nullable[T] { return patch.Nullable[T]{Set: true, Value: &value} }
