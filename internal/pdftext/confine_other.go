//go:build !linux

package pdftext

import (
	"os"
	"os/exec"
)

func executable() (string, error) { return os.Executable() }

// leash and confine protect the machine on Linux only. Elsewhere, on a developer's machine, the soft memory limit and the
// deadlines have to do.
func leash(*exec.Cmd) {}

func confine(int64) error { return nil }

func lockCache(string) (unlock func()) { return func() {} }
