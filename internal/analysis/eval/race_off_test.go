//go:build !race

package eval_test

// scores says whether tests score texts: this build has no race detector.
const scores = true
