// Package cputime measures processor time, so that a test of a cost does not depend on the other load of the machine.
package cputime

import (
	"runtime"
	"syscall"
	"time"
)

// Of calls run, and returns the processor time that run used in its thread. The work of other goroutines does not
// count.
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
