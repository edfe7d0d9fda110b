//go:build !race

package eval_test

// This build has no race detector.
const scores = true
