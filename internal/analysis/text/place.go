package text

// Place is where the evidence of a decision is: from byte Start to End of the parsed text or, where Doc is above 0, on
// a page of a document. Literal is looked for in the text as sent where the parsed text lacks the words, as for what
// is in a link.
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
