//go:build !linux

package embedded

import (
	"os/exec"
	"syscall"
)

// dieWithUs does nothing: only Linux notifies a child of its parent's death. A server that outlives its parent keeps
// using its data folder.
func dieWithUs(*exec.Cmd, syscall.Signal) {}

// namespaces returns nothing: namespaces of users are Linux's.
func namespaces() []owner { return nil }
