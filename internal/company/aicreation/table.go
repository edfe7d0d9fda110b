package aicreation

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed name_columns.txt
var nameColumns string

// NameColumn returns which column of a table holds the names of companies, or -1.
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

// composed returns the text of a company that is a row of a table without one: a line for each column that says
// something, the name first, and the name.
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

// isSetting reports whether a column says how its row is kept rather than what the company is.
func isSetting(column string) bool {
	switch column {
	case "external_id", "visibility", "company_status_id", "metadata":
		return true
	}
	return false
}
