//go:build !linux

package embedded

import (
	"os/exec"
	"syscall"
)

// dieWithUs does nothing: only Linux notifies a child of its parent's death. A server that outlives its parent keeps
// using its data folder.
func dieWithUs(*exec.Cmd, syscall.Signal) {}

// namespaces returns no candidates: only Linux has user namespaces.
func namespaces() []owner { return nil }
