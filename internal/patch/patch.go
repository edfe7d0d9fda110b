// Package patch has the type of a value in a change that names only some fields.
package patch

// Nullable is a value that a change may leave alone (not Set), clear (Set, nil) or replace.
type Nullable[T any] struct {
	Value *T
	Set   bool
}
