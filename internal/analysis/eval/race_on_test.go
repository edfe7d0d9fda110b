//go:build race

package eval_test

// The texts are read one by one: the detector finds nothing there and takes minutes. `make test` scores without it.
const scores = false
