package people

import "dealflow/internal/analysis/text"

// Names is a text with the parts of it that may be names. It must not be used by several goroutines at once.
type Names struct {
	*text.Text

	Titles    []Title
	Spans     []Span          // runs of capitalized words
	Phones    [][]int         // the start and end of each phone number in the body
	FirstWord int             // where the first name or word of the text begins
	Greeted   map[string]bool // the squeezed names of those to whom the text is addressed

	persons map[string]int // the results of Personness by name
}

// Cast is a text with the people that it mentions.
type Cast struct {
	*Names

	Mentions []Mention
}

// Scene is a text with its people, and who speaks in it: the founders, an introducer or the investor.
type Scene struct {
	*Cast

	Greets, Signs bool      // with a letter's greeting, a letter's farewell
	LetterAt      text.Span // the first greeting or farewell
	FounderVoice  bool      // the founders themselves speak
	Introduces    bool      // somebody else introduces the founders
	Replies       bool      // the investor answers the founders
	SpeaksOfDeal  bool      // the text reads like the investor's note about a deal
}

// Mention is one mention of a person in the text, from byte Start of the body on, with the title, company and address
// found there. DeckPeople sets Start otherwise.
type Mention struct {
	Name, Title, Org string
	Start            int
	Kind             Kind
	Chief            bool // the title is a founder's or a chief's
	Email            string
	last             bool // name and title are the last words of the text
	Seen             int  // how many mentions of other kinds there are of them
	Doc              int  // the number of the document that names them, from 1; 0: the text
}

// Kind is how a name was recognized as a person's, such as by a title beside it.
type Kind int

// The kinds of mentions.
const (
	ByTitle   Kind = iota // a title is beside the name
	BySelf                // "I'm Ann"
	BySender              // the header of a mail
	ByChannel             // "LinkedIn DM from Ann"
	ByMeeting             // "meet Ann"
	ByForm
	BySignature
	BySpoken    // "coffee with Ann of Acme"
	ByContact   // "Ann Lee, ann@acme.io"
	ByDeed      // "Ann Lee pitched us Acme"
	ByChat      // the first speaker of a chat
	ByRecipient // the investor writes to them
)

// String returns the name of the kind in calibration.json.
func (k Kind) String() string {
	switch k {
	case BySelf:
		return "self"
	case BySender:
		return "sender"
	case ByChannel:
		return "channel"
	case ByMeeting:
		return "meeting"
	case ByForm:
		return "form"
	case BySignature:
		return "signature"
	case BySpoken:
		return "spoken"
	case ByContact:
		return "contact"
	case ByDeed:
		return "deed"
	case ByChat:
		return "chat"
	case ByRecipient:
		return "recipient"
	case ByTitle:
	}
	return "title"
}

// Span is a part of a text, from byte Start up to, not including, End, that may be the name of somebody or something:
// usually a run of capitalised words, sometimes with a particle such as "van", or a given name in lower case, which
// Text has with a capital. Text is "" in a Span that is only a position.
type Span struct {
	Text       string
	Start, End int
}

// Title is a job title in a text, such as "CEO", from byte Start up to, not including, End of the body, and whether it
// is a founder's or a chief's.
type Title struct {
	Text       string
	Start, End int
	Chief      bool
	plural     bool
}
