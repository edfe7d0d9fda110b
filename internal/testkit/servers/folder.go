package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// memoryFolder is a folder of Linux that is in memory. It is used only if at least memoryFree bytes are free in it,
// since in containers it often has only some megabytes.
const (
	memoryFolder = "/dev/shm"
	memoryFree   = 4 << 30
)

// makeFolder creates a folder for the servers' data in parent, and returns its path. It also removes such folders of
// runs whose process has ended.
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

// parentFolder returns the folder in which makeFolder must create the servers' folder. It is memoryFolder if there is
// room in it, since copying a database for each test would take half of the tests' time on a disk; otherwise, and if
// TMPDIR is set, it is os.TempDir().
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
