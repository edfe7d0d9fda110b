package text

// Place is where a decision rests: bytes of the reading's text; of a document's page where doc is above 0. Literal is
// what to look for in the text as sent where the reading has no words for it, as for what is in a link.
type Place struct {
	Start, End int
	Literal    string
	Doc, Page  int // the number of the document, and of its page, from 1
	Quote      string
}

func (p Place) isNone() bool { return p == Place{} }

// Or returns the place, or another where it is none.
func (p Place) Or(other Place) Place {
	if p.isNone() {
		return other
	}
	return p
}
