package evidence

// Below these a field stays empty and asks for a look. A wrong status moves a deal to where nobody looks for it, a
// wrong founder gets a stranger's mail, a wrong source only labels: so these go where it is clearly likelier that the
// value is wrong. A name is better than none as long as it is about as likely as the domain that would be in for it.
// Where no PDF is likelier than not the deck, the first one is taken, as it is without an analysis.
const (
	LeastName    = 0.05
	LeastFounder = 0.3
	LeastSummary = 0.4
	LeastStatus  = 0.15
	LeastSource  = 0.1
	LeastDeck    = 0.5

	Trusted = 0.8 // below it a filled field asks for a look too
)
