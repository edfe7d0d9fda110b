// Package eval scores the rules on the labelled texts and decks in internal/analysis/testdata, and fits and tests the
// confidences of their decisions. It has only tests: `make eval` prints the table and the wrong decisions, `go test`
// fails if a score is more than two points below floors.json, `make calibrate` fits the confidences of decisions by
// rules alone, and `make train` trains the models and fits the other confidences.
package eval
