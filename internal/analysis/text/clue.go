package text

// Clue is a phrase of a text that speaks for a source, and where it is. Ok is false where there is none.
type Clue struct {
	Ok    bool
	Quote string
	At    Place
}
