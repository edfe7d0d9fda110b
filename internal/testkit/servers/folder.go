package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// The folder that is in memory, and what has to be free in it, in bytes: containers often have one of some megabytes.
const (
	memoryFolder = "/dev/shm"
	memoryFree   = 4 << 30
)

// makeFolder makes the folder of the servers' data below parent, and removes the folders that killed runs left there.
func makeFolder(parent string) (string, error) {
	old, err := filepath.Glob(filepath.Join(parent, "dealflow-test-*"))
	if err != nil {
		return "", err
	}
	for _, folder := range old {
		var pid int
		if _, err := fmt.Sscanf(filepath.Base(folder), "dealflow-test-%d-", &pid); err == nil &&
			errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.RemoveAll(folder) // what cannot be removed is another user's
		}
	}
	return os.MkdirTemp(parent, fmt.Sprintf("dealflow-test-%d-*", os.Getpid()))
}

// parentFolder returns the folder in which makeFolder makes its own: one in memory where there is room, since copying a
// database for each of some hundred tests is half of their time on a disk. A TMPDIR that is set is used instead.
func parentFolder() string {
	var stat unix.Statfs_t
	if os.Getenv("TMPDIR") != "" || unix.Statfs(memoryFolder, &stat) != nil ||
		unix.Access(memoryFolder, unix.W_OK) != nil {
		return os.TempDir()
	}
	if stat.Bavail*uint64(stat.Bsize) < memoryFree { //nolint:gosec // G115: a block has a size above 0
		return os.TempDir()
	}
	return memoryFolder
}
