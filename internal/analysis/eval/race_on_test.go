//go:build race

package eval_test

// scores says whether tests score texts. They read these one by one: the race detector finds nothing there and takes
// minutes. `make test` scores without it.
const scores = false
