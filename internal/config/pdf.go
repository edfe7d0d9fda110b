package config

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Reader has the settings of the child processes that read PDFs for the worker and `dealflow extract`, and of the one
// process that draws pages for the API, to which Children does not apply.
type Reader struct {
	Children int           `env:"PDF_CHILDREN"  envDefault:"2"`
	Timeout  time.Duration `env:"PDF_TIMEOUT"   envDefault:"10s"` // of processor time, for a document
	CacheDir string        `env:"PDF_CACHE_DIR"`                  // compiled WebAssembly; default: the user's cache folder
}

// longestTimeout is the longest PDF_TIMEOUT, which is processor time. A document may take ten times that by the clock,
// and the documents of one company together may take 20 minutes (readFor of package analyst).
const longestTimeout = 2 * time.Minute

// Validate returns an error for each setting that is wrong; nil if none is.
func (r *Reader) Validate() []error {
	var mistakes []error
	if r.Children < 1 {
		mistakes = append(mistakes, fmt.Errorf("PDF_CHILDREN must be at least 1"))
	}
	if r.Timeout < time.Second {
		mistakes = append(mistakes, fmt.Errorf("PDF_TIMEOUT: %s is too short, give at least 1s", r.Timeout))
	}
	if r.Timeout > longestTimeout {
		mistakes = append(mistakes, fmt.Errorf("PDF_TIMEOUT: %s is too long, give at most %s: a PDF may take ten "+
			"times that by the clock, and an analysis waits 20 minutes for its PDFs", r.Timeout, longestTimeout))
	}
	return mistakes
}

// Cache returns the folder in which compiled WebAssembly is kept: CacheDir, or one in the user's cache folder. It
// returns "" if the user has no cache folder: WebAssembly must then be compiled at each start, since other users could
// write to any other folder.
func (r *Reader) Cache() string {
	if r.CacheDir != "" {
		return r.CacheDir
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "dealflow")
}

// LoadReader reads the settings of `dealflow extract`, which are those of a worker, so that both read documents in the
// same way. The error lists every setting that is wrong.
func LoadReader() (Reader, Log, error) {
	var c struct {
		Reader Reader
		Log    Log
	}
	err := load(&c, &c.Reader, &c.Log)
	return c.Reader, c.Log, err
}
