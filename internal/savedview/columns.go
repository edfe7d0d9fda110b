package savedview

// AllColumns returns the names of the columns that a table of companies can have besides their name, in their order.
func AllColumns() []string {
	return []string{
		"status", "founders", "summary", "source", "visibility", "deck", "assignees", "created_at", "updated_at",
	}
}

// UsualColumns returns the columns for users who have chosen none.
func UsualColumns() []string {
	return []string{"status", "founders", "source", "assignees", "created_at"}
}
