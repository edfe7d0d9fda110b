package evidence

// The least confidence with which a field is filled in; below it, the field stays empty and a person is asked to check
// it. A wrong status moves a deal to where nobody looks for it, a wrong founder gets a stranger's mail, a wrong source
// only labels: these fields stay empty only where the value is clearly likelier wrong than right. A name is kept while
// it is about as likely as the domain that would replace it. Where no PDF is likelier than not the deck, the first one
// is taken, as it is without an analysis.
const (
	LeastName    = 0.05
	LeastFounder = 0.3
	LeastSummary = 0.4
	LeastStatus  = 0.15
	LeastSource  = 0.1
	LeastDeck    = 0.5

	Trusted = 0.8 // below it a person is asked to check a filled field too
)
