package text

// Span is where the evidence of a decision is: from byte Start up to, not including, End of the parsed text, or on a
// page of a document if Doc is above 0. Literal is a text to look for in the text as sent, if the words, such as those
// of a link, are not in the parsed text.
type Span struct {
	Start, End int
	Literal    string
	Doc, Page  int // the number of the document, and of its page, from 1
	Quote      string
}

func (p Span) isNone() bool { return p == Span{} }

// Or returns p, or other where p is empty.
func (p Span) Or(other Span) Span {
	if p.isNone() {
		return other
	}
	return p
}

// Clue is a phrase of a text that points to a source, and where it is. Ok is false if there is none.
type Clue struct {
	Ok    bool
	Quote string
	At    Span
}
