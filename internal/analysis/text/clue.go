package text

// Clue is what speaks for a source.
type Clue struct {
	Ok    bool
	Quote string
	At    Place
}
