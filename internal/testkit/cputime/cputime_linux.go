// Package cputime measures processor time, so that a test of a cost does not depend on what else the machine does.
package cputime

import (
	"runtime"
	"syscall"
	"time"
)

// Of runs run, and returns the processor time that its own thread used meanwhile. What run does in other goroutines
// does not count.
func Of(run func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := ofThread()
	run()
	return ofThread() - before
}

func ofThread() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
