package company

import (
	"fmt"
	"strings"

	"dealflow/internal/patch"
)

// PlainFields are the texts of a company that people set and clear, and that are returned as they were sent. T is
// *string in a row of the database; a change and an import have another type.
type PlainFields[T any] struct {
	DeckLink T // an http or https URL
	Notes    T
}

// Plain returns the fields with their names. Whatever creates, changes, reads, merges, exports or imports companies
// handles the fields by this list.
func (f *PlainFields[T]) Plain() []plainField[T] {
	return []plainField[T]{
		{"deck_link", &f.DeckLink},
		{"notes", &f.Notes},
	}
}

// plainField is one of PlainFields.
type plainField[T any] struct {
	Name  string // of its column, and of its member in JSON, such as "deck_link"
	Value *T
}

// PlainChange is a change of plain fields.
type PlainChange = PlainFields[patch.Nullable[string]]

// PlainNames returns the names of the plain fields.
func PlainNames() []string {
	var names []string
	for _, field := range new(PlainFields[any]).Plain() {
		names = append(names, field.Name)
	}
	return names
}

// PlainSQL returns the columns of the plain fields as SQL, each with a prefix: "c.deck_link, c.notes".
func PlainSQL(prefix string) string { return prefix + strings.Join(PlainNames(), ", "+prefix) }

// BindPlain appends the values of the fields to the arguments of a statement. It returns the arguments, and a
// placeholder for each value in a format such as ", $%d".
func (f *PlainFields[T]) BindPlain(args []any, format string) (bound []any, placeholders string) {
	for _, field := range f.Plain() {
		args = append(args, *field.Value)
		placeholders += fmt.Sprintf(format, len(args))
	}
	return args, placeholders
}
