//go:build !linux

package pdftext

import (
	"os"
	"os/exec"
	"time"
)

func executable() (string, error) { return os.Executable() }

// bindToParent and confine protect the machine on Linux only. On other systems, which developers use, there are only
// the soft memory limit and the deadlines.
func bindToParent(*exec.Cmd) {}

func confine(int64) error { return nil }

// used returns the time since the child began. It is for systems that do not report its processor time.
func (c *process) used() time.Duration { return time.Since(c.begun) }

func killedBy(*os.ProcessState) string { return "" }

func seal(cacheDir string) (cache string, missing []string) {
	return cacheDir, []string{"any confinement (this system is not Linux)"}
}

func openCache(string) error { return nil }

func lockCache(string) (unlock func()) { return func() {} }
