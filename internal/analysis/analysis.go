package analysis

import (
	"context"
	"slices"
	"time"
)

// Document is one PDF as it was read. Pages has the text of each page and is nil if the file could not be read.
type Document struct {
	ID       string
	FileName string
	Title    string // from the metadata of the file, often empty
	Pages    []string

	Width, Height float64 // of the first page, in any unit; 0 if unknown
}

// Stage is one stage of the account's pipeline. The stage with the lowest Rank comes first.
type Stage struct {
	ID        string
	Name      string
	Rank      int
	IsDefault bool
}

// Input has the text, the documents and the settings of one analysis.
type Input struct {
	Text      string // as sent
	Links     []string
	DeckURL   string
	Documents []Document // PDFs only, in upload order, may be empty
	Stages    []Stage

	// DetectStatus and DetectSource request the status and the source. The service leaves them false if its caller gave
	// the value, and for texts of at most 50 characters.
	DetectStatus, DetectSource bool
	// PickDeck requests a choice of the deck among several Documents.
	PickDeck bool

	// ReferenceTime is the time of the analysis: years before it are past, and older lessons weigh less. If it is zero,
	// the present year is used, and all lessons are taken as new.
	ReferenceTime time.Time

	// Lessons say whether the account's earlier findings were changed or kept, the newest first. Memory may be nil;
	// otherwise the answers of a model are looked up and stored in it.
	Lessons []Lesson
	Memory  *Memory
}

// Founder is one of the company's founders or C-level people. A field that is not known is empty.
type Founder struct {
	Name            string `json:"name"`
	Email           string `json:"email"`
	Phone           string `json:"phone"`
	Title           string `json:"title"`
	Background      string `json:"background"`
	LinkedInProfile string `json:"linkedin_profile"`
}

// Findings is what an analysis found. A field that was not requested, or that could not be decided, is empty.
// StatusReasoning, SourceReasoning and DeckReasoning say in a sentence or two for people why a value was chosen, or why
// none was.
type Findings struct {
	Name     string
	Founders []Founder
	Summary  string

	StatusID        string // the ID of one of the Stages
	StatusReasoning string
	Source          string // manual, email, form, referral, website, event or other
	SourceReasoning string
	DeckDocumentID  string // the ID of one of the Documents; "" if undecided or not requested
	DeckReasoning   string

	// Evidence shows the basis of the decisions: one entry for each field that has a value, and one for each founder.
	// NeedsReview names the fields that a person should check: those that are empty because their value was too unsure,
	// and those that are filled with a value of low confidence or, for the name, with a substitute. It also contains
	// NotADeal for a text that does not look like a deal.
	Evidence    []Evidence
	NeedsReview []string

	// Remarks are sentences for people that do not belong to any of the reasonings above: which values of a model were
	// refused, which parts of the input the model did not see, and what the account's corrections changed in the name
	// and the founders.
	Remarks []string

	// Cues describe the input. If somebody corrects these findings, the correction applies to later texts with similar
	// Cues.
	Cues Cues

	// Analyzer is "rules" or the model's name. If the rules took over from a model, Fallback says so and why, and the
	// reasonings begin with the same sentences; otherwise Fallback is "".
	Analyzer string
	Fallback string
}

// The names of the fields in Evidence.Field, Findings.NeedsReview and Lesson.Field.
const (
	FieldName     = "name"
	FieldFounders = "founders"
	FieldSummary  = "summary"
	FieldStatus   = "status"
	FieldSource   = "source"
	FieldDeck     = "deck"
)

// Evidence is the basis of one decision. Value is the decision: the name, summary or source, the ID of the stage, the
// ID or the link of the deck, or a founder's name, else their address. Confidence, from 0 to 1, is the share of such
// decisions that are right.
//
// Quote is the passage that supports the decision. If DocumentID is "", it is in the text as sent, from the character
// Start up to, not including, End; otherwise it is on a Page of that document. Start and End are 0 for a document, and
// if no span of the text as sent was found; Quote may then be empty. Analyzer is "rules", the model's name, or
// "corrections".
type Evidence struct {
	Field      string
	Value      string
	Confidence float64
	Quote      string
	Start, End int
	DocumentID string
	Page       int // from 1; 0 for the text, or if no page is known
	Analyzer   string
}

// Analyzer computes the Findings for an Input. Analyze returns an error only if ctx ends: there is an answer for every
// input. An Analyzer may be used by many goroutines.
type Analyzer interface {
	Analyze(ctx context.Context, in Input) (Findings, error)
}

// LongestCue is the largest number of characters of a phrase, an address or a domain in Cues; longer ones are cut.
const LongestCue = 120

// NotADeal is the entry of NeedsReview for a text that does not look like a deal.
const NotADeal = "this does not look like a deal"

// NotADeal reports whether the text does not look like a deal.
func (f Findings) NotADeal() bool { return slices.Contains(f.NeedsReview, NotADeal) }

// Lesson says whether one field of an earlier analysis was changed by somebody of the account, or left unchanged.
type Lesson struct {
	Field            string    // FieldName, FieldStatus, FieldSource or FieldFounders
	Detected, Chosen string    // what was found and what is there now; of a status the stage's ID, "" for none
	Before, After    []Founder // of FieldFounders: what was found and what is there now
	Kept             bool      // nobody changed it within the time for corrections

	Cues    Cues
	Company string // its present name
	Excerpt string // the beginning of the text
	At      time.Time
}

// Cues describe a text so that it can be compared with others: what it says about the deal's stage and about how it
// arrived, as the rules read it, who sent it, and some of its words.
type Cues struct {
	Meaning string   `json:"meaning"` // the meaning for the stage: "intake" etc., "update", "none"; "" if not requested
	Phrase  string   `json:"phrase"`  // the words with this meaning, folded; "" for none
	Source  string   `json:"source"`
	Channel string   `json:"channel"` // the words that name the source, folded; "" if only the form of the text shows it
	Senders []string `json:"senders"` // addresses in the text, without those that it was sent to
	Domains []string `json:"domains"` // of Senders and of links, without mail providers and platforms
	Words   []string `json:"words"`

	// RulesStatus and RulesSource are what the rules decided before any lesson was applied.
	RulesStatus string `json:"-"`
	RulesSource string `json:"-"`
}

// CorrectionsName is the Evidence.Analyzer of a value that the account's own corrections decided.
const CorrectionsName = "corrections"

// Memory keeps a model's answers for one account, so that the same analysis again costs no tokens. An answer is what
// the model wrote; a key is the hash of all that the answer depends on. Neither function may be nil. They report no
// errors: if the store fails, Recall finds nothing, and Keep keeps nothing.
type Memory struct {
	Recall func(ctx context.Context, key string) (answer string, found bool)
	Keep   func(ctx context.Context, key, answer string)
}
