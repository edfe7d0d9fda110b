//go:build !linux

package embedded

import (
	"os/exec"
	"syscall"
)

// socketLimit is the length of the longest path of a Unix socket: macOS has 104 bytes for the path and a NUL.
const socketLimit = 103

// dieWithUs does nothing: of the systems that we build for, only Linux notifies a child of the death of its parent. A
// server that outlives its parent continues to use its data folder.
func dieWithUs(*exec.Cmd, syscall.Signal) {}

// inherited returns path unchanged: only Linux opens a file by the descriptor that a process inherits.
func inherited(_ int, path string) string { return path }

// locale returns the options of initdb for texts in any language, sorted by code point: macOS has had C.UTF-8 for a few
// versions only.
func locale() []string { return []string{"--lc-collate=C", "--lc-ctype=en_US.UTF-8"} }

// namespaces returns no candidates for the owner of a server: only Linux has user namespaces.
func namespaces() []owner { return nil }
