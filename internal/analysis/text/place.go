package text

// Place is where the evidence of a decision is: from byte Start up to, not including, End of the parsed text or, if Doc
// is above 0, on a page of a document. Literal is what to look for in the text as sent if the parsed text lacks the
// words, as it lacks those of a link.
type Place struct {
	Start, End int
	Literal    string
	Doc, Page  int // the number of the document, and of its page, from 1
	Quote      string
}

func (p Place) isNone() bool { return p == Place{} }

// Or returns p, or other where p is empty.
func (p Place) Or(other Place) Place {
	if p.isNone() {
		return other
	}
	return p
}
