//go:build race

package links_test

// slowdown is how many times as long as without the race detector a test may take. quarter is the length of a text in
// bytes whose cost is compared with that of a text four times as long.
const (
	slowdown = 20
	quarter  = 1 << 13
)
