package deck

import (
	"strings"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/evidence"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/text"
)

// Chooser chooses the deck among documents, and rates a choice that was made among links. It is built once and may be
// used by many goroutines.
type Chooser struct {
	words  *lexicon.Words
	picker *links.DeckPicker
}

// NewChooser returns a Chooser that looks words up in the lexicon and classifies links with the picker.
func NewChooser(words *lexicon.Words, picker *links.DeckPicker) *Chooser {
	return &Chooser{words: words, picker: picker}
}

// DeckAmong decides which document is the deck. It returns the decision, and a list with the one document to read: the
// deck, or the first document if none can be chosen. The Value of the decision is the deck's ID, "" if none can be
// chosen. If in.PickDeck is false, the first document is certainly the deck. If in has no documents, the list is nil.
func (r *Chooser) DeckAmong(in analysis.Input) (evidence.Decision, []analysis.Document) {
	if len(in.Documents) == 0 {
		_, d := r.pickDocument(nil)
		return d, nil
	}
	if !in.PickDeck {
		only := in.Documents[0]
		return evidence.Decision{Value: only.ID, At: firstPage(only), Features: evidence.Features{evidence.Certain: 1}},
			in.Documents[:1]
	}
	i, d := r.pickDocument(in.Documents)
	picked := in.Documents[max(0, i)]
	if i >= 0 {
		d.Value, d.At = picked.ID, firstPage(picked)
	}
	return d, []analysis.Document{picked}
}

// firstPage returns the span of the first line of a document that is not blank, as a span in document 1, since
// DeckAmong returns only one document to read. If all pages are blank, only Doc is set.
func firstPage(d analysis.Document) text.Span {
	for i, page := range d.Pages {
		for line := range strings.Lines(page) {
			if line = strings.TrimSpace(line); line != "" {
				return text.Span{Doc: 1, Page: i + 1, Quote: line}
			}
		}
	}
	return text.Span{Doc: 1}
}

// LinkDecision returns in.DeckURL as a decision, with the features from which its confidence is computed: how many
// other links are in classes of the same rank (up to 3, among the first 100 links), and whether its class matches any
// host. Confidence is not set.
func (r *Chooser) LinkDecision(in analysis.Input) evidence.Decision {
	const most = 100
	d := evidence.Decision{Value: in.DeckURL, At: text.Span{Literal: in.DeckURL}, Features: evidence.Features{}}
	own, _ := r.picker.Judge(in.DeckURL, links.Saying{Deck: true})
	rivals := 0
	for _, link := range in.Links[:min(len(in.Links), most)] {
		if c, ok := r.picker.Judge(link, links.Saying{}); ok && link != in.DeckURL && c.Class.Rank == own.Class.Rank {
			rivals++
		}
	}
	d.Features["rivals"] = float64(min(rivals, 3))
	d.Features.Set("plain", len(own.Class.Patterns) == 1 && own.Class.Patterns[0] == "*")
	return d
}
