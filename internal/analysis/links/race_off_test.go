//go:build !race

package links_test

// This build has no race detector; a quarter of a long text is measured against all of it.
const (
	slowdown = 1
	quarter  = 1 << 16
)
