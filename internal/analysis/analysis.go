package analysis

import (
	"context"
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
