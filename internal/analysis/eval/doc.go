// Package eval scores the rules on the labelled texts and decks in the analyzer's testdata, and fits and proves their
// confidences. It holds tests alone: `make eval` prints the table and the misses, `go test` fails where a score drops
// by more than two points below floors.json, `make calibrate` fits the confidences anew.
package eval
