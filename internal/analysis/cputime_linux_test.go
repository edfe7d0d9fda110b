package analysis_test

import (
	"runtime"
	"syscall"
	"time"
)

// cost gives the processor time that run takes on its own thread, so that other programs on a busy machine do not count.
func cost(run func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime()
	run()
	return threadTime() - before
}

func threadTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
