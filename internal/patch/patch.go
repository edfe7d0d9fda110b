// Package patch has the values of changes that name only what they change.
package patch

// Nullable is a value that a change may leave alone (not Set), clear (Set, nil) or replace.
type Nullable[T any] struct {
	Value *T
	Set   bool
}
