//go:build !race

package httpapi_test

// raceDetector says that the race detector is on, which allocates by itself.
const raceDetector = false
