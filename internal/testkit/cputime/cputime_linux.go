// Package cputime measures processor time, so that a test of a cost does not depend on what else the machine does.
package cputime

import (
	"runtime"
	"syscall"
	"time"
)

// Of returns the processor time that run takes on its own thread. What run starts on other threads does not count.
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
