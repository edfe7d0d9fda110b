package analysis

import (
	"context"
	"slices"
	"time"
)

// Document is one PDF as it was read. Pages holds the text of each page and is nil where the file could not be read.
type Document struct {
	ID       string
	FileName string
	Title    string // from the file's own metadata, often empty
	Pages    []string

	Width, Height float64 // of the first page, in any unit; 0 when unknown
}

// Stage is one stage of the account's pipeline.
type Stage struct {
	ID        string
	Name      string
	Rank      int
	IsDefault bool
}

// Input is what one analysis works on.
type Input struct {
	Text      string // as sent
	Links     []string
	DeckURL   string
	Documents []Document // PDFs only, in upload order, may be empty
	Stages    []Stage

	// DetectStatus and DetectSource are false where the caller gave a value, and for texts of 50 characters and less.
	DetectStatus, DetectSource bool
	// PickDeck asks which of several Documents is the deck.
	PickDeck bool

	ReferenceTime time.Time

	// Lessons are what the account taught by changing earlier findings, the newest first. Memory, when set, keeps the
	// answers of a model for it.
	Lessons []Lesson
	Memory  *Memory
}

// Founder is one of the company's founders or C-level people. What is unknown is empty.
type Founder struct {
	Name            string `json:"name"`
	Email           string `json:"email"`
	Phone           string `json:"phone"`
	Title           string `json:"title"`
	Background      string `json:"background"`
	LinkedInProfile string `json:"linkedin_profile"`
}

// Findings is what an analysis found. A field that it could not decide, or was not asked for, is empty; the reasoning
// beside it says why in a sentence or two for people.
type Findings struct {
	Name     string
	Founders []Founder
	Summary  string

	StatusID        string // one of the Stages
	StatusReasoning string
	Source          string // manual, email, form, referral, website, event or other
	SourceReasoning string
	DeckDocumentID  string // one of the Documents; "" could not decide
	DeckReasoning   string

	// Evidence shows what the decisions rest on, one for each field that has a value and one a founder. NeedsReview names
	// the fields that were too unsure to be filled, or filled only with what is in for a value.
	Evidence    []Evidence
	NeedsReview []string

	// Remarks are sentences for people on what belongs to no reasoning above: what of a model was not taken or not shown
	// to it, and what the account's corrections changed in name and founders.
	Remarks []string

	// Cues are what of the input later findings can be learned by, once somebody has changed these.
	Cues Cues

	// Analyzer is "rules" or the model's name. Where the rules took over from a model, Fallback says so and why in a
	// sentence that the reasonings begin with; it is "" otherwise.
	Analyzer string
	Fallback string
}

// The fields that have evidence, as Evidence.Field and Findings.NeedsReview call them.
const (
	FieldName     = "name"
	FieldFounders = "founders"
	FieldSummary  = "summary"
	FieldStatus   = "status"
	FieldSource   = "source"
	FieldDeck     = "deck"
)

// Evidence is what one decision rests on. Value is the decision: a founder's name (else address), the status's ID,
// the deck's document ID. Confidence is the share of such decisions that are right, from 0 to 1. Quote is in the text
// as sent from the character Start up to, not including, End, or on a Page, from 1, of the document DocumentID; then,
// and where the decision rests on no one place, Start and End are 0. Analyzer is "rules", the model's name, or
// "corrections".
type Evidence struct {
	Field      string
	Value      string
	Confidence float64
	Quote      string
	Start, End int
	DocumentID string
	Page       int // 0: the text
	Analyzer   string
}

// Analyzer turns an Input into Findings. The only errors are those of ctx: whatever the input holds, there is an
// answer.
type Analyzer interface {
	Analyze(ctx context.Context, in Input) (Findings, error)
}

// LongestCue is how many characters of what lessons are learned by are kept.
const LongestCue = 120

// NotADeal is what NeedsReview says of a text that is no deal.
const NotADeal = "this does not look like a deal"

// NotADeal reports whether the text does not look like a deal.
func (f Findings) NotADeal() bool { return slices.Contains(f.NeedsReview, NotADeal) }

// Lesson is what became of one field of an earlier analysis: somebody of the account changed it, or left it.
type Lesson struct {
	Field            string // FieldName, FieldStatus, FieldSource or FieldFounders
	Detected, Chosen string // what was found and what is there now; of a status the stage's ID, "" for none
	Before, After    []Founder
	Kept             bool // nobody changed it, though there was time to

	Cues    Cues
	Company string // as it is called now
	Excerpt string // how the text began
	At      time.Time
}

// Cues are what a text says by which it can be likened to others: what it says of the deal's stage and how it came, by
// the rules' own judgement, who sent it, and some of its words.
type Cues struct {
	Meaning string   `json:"meaning"` // of what it says of the stage: "intake", "meeting" and so on; "update"; "none"
	Phrase  string   `json:"phrase"`  // that says so, folded; "" for a first contact
	Source  string   `json:"source"`
	Channel string   `json:"channel"` // the words that name the source, folded; "" where its form does
	Senders []string `json:"senders"` // addresses, but not those that it was sent to
	Domains []string `json:"domains"` // of these and of links, but not of mail providers and platforms
	Words   []string `json:"words"`

	// What the rules decided before any lesson.
	RulesStatus string `json:"-"`
	RulesSource string `json:"-"`
}

// CorrectionsName is what Evidence.Analyzer says of a value that the account's own corrections decided.
const CorrectionsName = "corrections"

// Memory keeps a model's answers for one account, so that the same analysis again costs no tokens. Answers are JSON;
// a key is the hash of all that an answer depends on. Trouble of the store is nobody's but its own: nothing found,
// nothing kept.
type Memory struct {
	Recall func(ctx context.Context, key string) (answer string, found bool)
	Keep   func(ctx context.Context, key, answer string)
}
