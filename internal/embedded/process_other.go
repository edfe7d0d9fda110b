//go:build !linux

package embedded

import (
	"os/exec"
	"syscall"
)

// dieWithUs does nothing: no other kernel notifies a child of its parent's death. A server that outlives its starter
// keeps its data folder.
func dieWithUs(*exec.Cmd, syscall.Signal) {}

// namespaces returns nothing: namespaces of users are Linux's.
func namespaces() []owner { return nil }
