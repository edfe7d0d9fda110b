//go:build !linux

package embedded

import (
	"os/exec"
	"syscall"
)

// socketLimit is the longest path of a Unix socket; macOS has 104 bytes for it with its NUL.
const socketLimit = 103

// dieWithUs does nothing: only Linux notifies a child of its parent's death. A server that outlives its parent keeps
// using its data folder.
func dieWithUs(*exec.Cmd, syscall.Signal) {}

// inherited returns path: only Linux opens files in a folder by the folder's descriptor.
func inherited(_ int, path string) string { return path }

// locale returns the options of initdb for texts in any language, sorted by code point: macOS has had C.UTF-8 for a few
// versions only.
func locale() []string { return []string{"--lc-collate=C", "--lc-ctype=en_US.UTF-8"} }

// namespaces returns no candidates for an owner of a server's processes: only Linux has user namespaces.
func namespaces() []owner { return nil }
