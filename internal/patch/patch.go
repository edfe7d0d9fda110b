// Package patch has the type of a value in a change that names only some fields.
package patch

// Nullable is the change of a value: none (not Set), to nothing (Set, nil), or to another value.
type Nullable[T any] struct {
	Value *T
	Set   bool
}
