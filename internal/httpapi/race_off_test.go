//go:build !race

package httpapi_test

// raceDetector reports whether the race detector is on. It allocates objects itself, so tests do not count objects
// then.
const raceDetector = false
