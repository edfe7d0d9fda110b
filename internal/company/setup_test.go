package company_test

import (
	"os"
	"testing"

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
