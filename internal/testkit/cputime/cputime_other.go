//go:build !linux

// Package cputime measures processor time, so that a test of a cost does not depend on what else the machine does.
package cputime

import "time"

// Of runs run, and returns the wall time that it took: this system has no processor clock for a thread.
func Of(run func()) time.Duration {
	start := time.Now()
	run()
	return time.Since(start)
}
