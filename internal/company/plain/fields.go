// Package plain has the plain fields of a company: the texts that people set and clear, and that are returned as they
// were sent. The code that creates, changes, reads, merges, exports and imports companies handles them by one list.
package plain

import (
	"fmt"
	"strings"

	"dealflow/internal/patch"
)

// Fields are the plain fields of a company. T is *string in a row of the database; a change and an import have another
// type.
type Fields[T any] struct {
	DeckLink T // an http or https URL
	Notes    T
}

// Plain returns the names of the fields and pointers to their values, always in the same order.
func (f *Fields[T]) Plain() []field[T] {
	return []field[T]{
		{"deck_link", &f.DeckLink},
		{"notes", &f.Notes},
	}
}

// field is the name of a plain field and a pointer to its value.
type field[T any] struct {
	Name  string // of its column, and of its member in JSON, such as "deck_link"
	Value *T
}

// Changes say of each plain field whether a change sets it, clears it or leaves it alone.
type Changes = Fields[patch.Nullable[string]]

// Names returns the names of the fields.
func Names() []string {
	var names []string
	for _, one := range new(Fields[any]).Plain() {
		names = append(names, one.Name)
	}
	return names
}

// SQL returns the columns of the fields as SQL, each with a prefix: "c.deck_link, c.notes".
func SQL(prefix string) string { return prefix + strings.Join(Names(), ", "+prefix) }

// BindPlain appends the values of the fields to the arguments of a statement. It returns the arguments, and a
// placeholder for each value, joined. format is the form of a placeholder, such as ", $%d", with the number of the
// argument as %d.
func (f *Fields[T]) BindPlain(args []any, format string) (bound []any, placeholders string) {
	for _, one := range f.Plain() {
		args = append(args, *one.Value)
		placeholders += fmt.Sprintf(format, len(args))
	}
	return args, placeholders
}
