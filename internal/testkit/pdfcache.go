package testkit

import (
	"os"
	"path/filepath"
)

// PDFCache returns the path of the folder for the compiled PDFium, which the tests of all packages share: in the user's
// cache folder or, without one, in that of temporary files. It remains after the tests, since compiling takes seconds,
// and minutes with the race detector on a busy machine.
func PDFCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "dealflow-test", "pdfium")
}
