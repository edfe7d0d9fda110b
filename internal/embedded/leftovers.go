package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// orphanGrace is how long a server whose parent was killed may take to stop, and then how long it may take to end after
// it was killed itself. orphanPoll is the time between checks.
const (
	orphanGrace = 5 * time.Second
	orphanPoll  = 20 * time.Millisecond
)

// release waits until the processes that a killed parent left on a data folder have ended. It kills them after
// orphanGrace, and returns an error if they are still there after orphanGrace again. When all have ended, it removes
// their pid file: Postgres does not start while any process has the id in it. The caller must hold the lock on the
// folder, so that no other server can use it.
func release(ctx context.Context, dir string) error {
	deadline := time.Now().Add(orphanGrace)
	for signalled := false; ; {
		left, err := holders(ctx, dir)
		if err != nil {
			return err
		}
		if len(left) == 0 {
			return removePIDFile(dir)
		}
		if time.Now().After(deadline) && !signalled {
			kill(left)
			signalled, deadline = true, time.Now().Add(orphanGrace)
		} else if time.Now().After(deadline) {
			return fmt.Errorf("processes %v still use %s and cannot be ended: end them, then start again", left, dir)
		}
		if err := pause(ctx, orphanPoll); err != nil {
			return err
		}
	}
}

func removePIDFile(dir string) error {
	err := os.Remove(filepath.Join(dir, "postmaster.pid"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// holders returns the ids of the Postgres processes whose working directory is dir, which is true of each process of a
// cluster and its data folder. It returns none if there is no such folder. If there is no /proc, it uses lsof.
func holders(ctx context.Context, dir string) ([]int, error) {
	folder, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir("/proc")
	if errors.Is(err, fs.ErrNotExist) {
		return listedHolders(ctx, folder)
	}
	if err != nil {
		return nil, err
	}
	var found []int
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil && worksIn(pid, folder) {
			found = append(found, pid)
		}
	}
	return found, nil
}

// worksIn reports whether a process runs Postgres with the folder as its working directory. Other programs, such as a
// shell in that folder, do not count. It needs /proc.
func worksIn(pid int, folder fs.FileInfo) bool {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	cwd, err := os.Stat(filepath.Join(proc, "cwd"))
	if err != nil || !os.SameFile(cwd, folder) {
		return false
	}
	exe, err := os.Readlink(filepath.Join(proc, "exe"))
	return err == nil && strings.HasPrefix(filepath.Base(exe), "postgres")
}

// listedHolders returns what holders returns, for machines without /proc: it uses lsof, which is part of macOS.
func listedHolders(ctx context.Context, folder fs.FileInfo) ([]int, error) {
	cmd := exec.CommandContext(ctx, "lsof", "-w", "-a", "-c", "postgres", "-d", "cwd", "-F", "pn")
	var said strings.Builder
	cmd.Stderr = &said
	list, err := cmd.Output()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && (!ended || said.Len() > 0) { // it lists nothing: 1
		return nil, fmt.Errorf("look with lsof for processes that a killed run left: %w\n%s", err, said.String())
	}
	var found []int
	pid := 0
	for line := range strings.Lines(string(list)) {
		field, value := line[:1], strings.TrimSpace(line[1:])
		if field == "p" {
			pid, _ = strconv.Atoi(value)
		}
		if cwd, err := os.Stat(value); field == "n" && err == nil && os.SameFile(cwd, folder) {
			found = append(found, pid)
		}
	}
	return found, nil
}

func kill(pids []int) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
