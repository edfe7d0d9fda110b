//go:build linux && race

package pdftext

// seal does nothing where the race detector runs. It brings cgo, whose threads the filter of system calls would not let
// begin; the programs themselves are built without cgo.
func seal(cacheDir string) (cache string, missing []string) { return cacheDir, nil }
