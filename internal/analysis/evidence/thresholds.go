package evidence

// The lowest confidence with which a field is filled in. Below it, the field stays empty and a review is requested; a
// name is replaced by the deck's title or by a domain.
//
// The limits for status, founders and source are low, so that these fields stay empty only if the value is clearly more
// likely wrong than right. They grow with the harm of a wrong value: a wrong source is only a wrong label, a wrong
// status moves a deal to where nobody looks for it, and for a wrong founder a stranger gets mail. A name is kept if it
// is about as likely right as the domain that would replace it. If no PDF is the deck with a confidence of at least
// LeastDeck, the deck stays open, and the service uses the first PDF.
const (
	LeastName    = 0.05
	LeastFounder = 0.3
	LeastSummary = 0.4
	LeastStatus  = 0.15
	LeastSource  = 0.1
	LeastDeck    = 0.5

	Trusted = 0.8 // below it a review of a filled field is requested too
)
