//go:build race

package links_test

// What the race detector costs, and the length of the texts whose reading is measured with it.
const (
	slowdown = 20
	quarter  = 1 << 13
)
