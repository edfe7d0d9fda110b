package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of the CPU times in /proc/PID/stat on Linux.
const tick = 10 * time.Millisecond

// usage is the CPU time of a process and of those of its children that have ended, and the id of its parent.
type usage struct {
	parent int
	cpu    time.Duration
}

// processes returns the usage of each process of the machine by its id. It returns an error if there is no /proc, or if
// a file of it cannot be parsed.
func processes() (map[int]usage, error) {
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err == nil && len(paths) == 0 {
		err = errors.New("there is no /proc: only Linux can measure")
	}
	if err != nil {
		return nil, err
	}
	found := make(map[int]usage, len(paths))
	for _, path := range paths {
		text, err := os.ReadFile(path) //nolint:gosec // G304: of /proc
		if err != nil {
			continue // it has ended
		}
		// The name, in parentheses, may hold anything.
		name := strings.LastIndexByte(string(text), ')')
		fields := strings.Fields(string(text[name+1:]))
		if name < 0 || len(fields) < 15 {
			return nil, fmt.Errorf("%s is not understood", path)
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		parent, _ := strconv.Atoi(fields[1])
		found[pid] = usage{parent: parent}
		for _, field := range fields[11:15] { // utime, stime, cutime, cstime
			ticks, err := strconv.Atoi(field)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			found[pid] = usage{parent: parent, cpu: found[pid].cpu + time.Duration(ticks)*tick}
		}
	}
	return found, nil
}

// used returns the CPU time of the process pid and its descendants, including children that have ended. all is the
// result of processes.
func used(all map[int]usage, pid int) time.Duration {
	tree := map[int]bool{pid: true}
	for grown := true; grown; {
		grown = false
		for child, one := range all {
			if tree[one.parent] && !tree[child] {
				tree[child], grown = true, true
			}
		}
	}
	var sum time.Duration
	for member := range maps.Keys(tree) {
		sum += all[member].cpu
	}
	return sum
}

// peak returns the largest resident memory of a process since resetPeak, in MB, or 0 if it is not known.
func peak(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	fields := strings.Fields(after)
	if len(fields) == 0 {
		return 0
	}
	kilobytes, _ := strconv.ParseFloat(fields[0], 64)
	return kilobytes / 1024
}

// resetPeak resets the value that peak returns. If the kernel does not allow that, peak returns the largest value since
// the process was started.
func resetPeak(pid int) {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0o600)
}
