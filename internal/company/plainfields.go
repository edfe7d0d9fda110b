package company

import (
	"fmt"
	"strings"

	"dealflow/internal/patch"
)

// PlainFields are the texts of a company that people set and clear, and that come back as they were sent: a *string
// each in a row, another T elsewhere.
type PlainFields[T any] struct {
	DeckLink T // an http or https URL
	Notes    T
}

// Plain returns the fields: whatever creates, changes, reads, merges, exports and imports companies goes through them.
func (f *PlainFields[T]) Plain() []plainField[T] {
	return []plainField[T]{
		{"deck_link", &f.DeckLink},
		{"notes", &f.Notes},
	}
}

// plainField is one of PlainFields.
type plainField[T any] struct {
	Name  string // of its column, and of its member in JSON
	Value *T
}

// PlainChange changes plain fields.
type PlainChange = PlainFields[patch.Nullable[string]]

// PlainNames returns the names of the plain fields.
func PlainNames() []string {
	var names []string
	for _, field := range new(PlainFields[any]).Plain() {
		names = append(names, field.Name)
	}
	return names
}

// PlainSQL lists the columns of the plain fields, each behind a prefix such as the alias of a table.
func PlainSQL(prefix string) string { return prefix + strings.Join(PlainNames(), ", "+prefix) }

// BindPlain appends the fields to the arguments of a statement. It returns these and the placeholders, each as the
// format has it, such as ", $%d".
func (f *PlainFields[T]) BindPlain(args []any, format string) (bound []any, placeholders string) {
	for _, field := range f.Plain() {
		args = append(args, *field.Value)
		placeholders += fmt.Sprintf(format, len(args))
	}
	return args, placeholders
}
