//go:build !linux

package analysis_test

import "time"

// cost gives the time that run takes.
func cost(run func()) time.Duration {
	start := time.Now()
	run()
	return time.Since(start)
}
