package aicreation

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed name_columns.txt
var nameColumns string

// NameColumn returns the index of the column that holds the names of companies, or -1 if no column has a name of
// name_columns.txt. It ignores case and repeated white space. If several columns match, it returns the one whose name
// comes first in the file.
func NameColumn(columns []string) int {
	for name := range strings.Lines(nameColumns) {
		name = strings.TrimSpace(name)
		at := slices.IndexFunc(columns, func(column string) bool {
			return name != "" && strings.EqualFold(strings.Join(strings.Fields(column), " "), name)
		})
		if at >= 0 {
			return at
		}
	}
	return -1
}

// composed returns a text and a name for a company that is a row of a table without a column "text". fields has a value
// for each column. The text has a line such as "City: Berlin" for each value that is not empty, except in columns
// without a name and columns for which isSetting reports true. The line of the name comes first. The name is "" if
// NameColumn finds no column.
func composed(columns, fields []string) (text, name string) {
	var lines []string
	add := func(i int) {
		if value := strings.TrimSpace(fields[i]); value != "" && columns[i] != "" && !isSetting(columns[i]) {
			lines = append(lines, columns[i]+": "+value)
		}
	}
	named := NameColumn(columns)
	if named >= 0 {
		name = strings.Join(strings.Fields(fields[named]), " ")
		add(named)
	}
	for i := range columns {
		if i != named {
			add(i)
		}
	}
	return strings.Join(lines, "\n"), name
}

// isSetting reports whether a column such as "visibility" is about how the company is stored, and so no part of its
// text.
func isSetting(column string) bool {
	switch column {
	case "external_id", "visibility", "company_status_id", "metadata":
		return true
	}
	return false
}
