package testkit

import (
	"os"
	"path/filepath"
)

// PDFCache returns the folder in which the tests of all packages keep the compiled PDFium. It outlives them: to compile
// it takes seconds, with the race detector on a busy machine minutes.
func PDFCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "dealflow-test", "pdfium")
}
