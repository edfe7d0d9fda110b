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

	// Analyzer is "rules" or the model's name. Where the rules took over from a model, Fallback says so and why in a
	// sentence that the reasonings begin with; it is "" otherwise.
	Analyzer string
	Fallback string
}

// Analyzer turns an Input into Findings. The only errors are those of ctx: whatever the input holds, there is an answer.
type Analyzer interface {
	Analyze(ctx context.Context, in Input) (Findings, error)
}
