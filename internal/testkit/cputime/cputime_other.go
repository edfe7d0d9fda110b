//go:build !linux

// Package cputime measures processor time, so that a test of a cost does not depend on the other load of the machine.
package cputime

import "time"

// Of calls run, and returns the wall-clock time that it took: this system does not measure the processor time of a
// thread.
func Of(run func()) time.Duration {
	start := time.Now()
	run()
	return time.Since(start)
}
