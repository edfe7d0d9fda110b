package companies

import (
	"encoding/json"
	"fmt"
	"net/http"

	"dealflow/internal/company"
	"dealflow/internal/company/findings"
	"dealflow/internal/pages/frame"
	"dealflow/internal/slides"
)

// quoted is the position of the quote of a finding on a page of the deck.
type quoted struct {
	Finding int           `json:"finding"` // its number on the page of the company
	Areas   []slides.Area `json:"areas"`
}

// deckQuotes responds, as JSON, with the areas of the quotes of findings on the page of the deck that the path names;
// [] if there are none. The errors are those of deckPageOf, company.Service.Findings and slides.Slides.Quoted.
func (p *pages) deckQuotes(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	view, page, err := p.deckPageOf(r, s)
	if err != nil {
		return err
	}
	kept, err := p.deps.Companies.Findings(r.Context(), s.Who, view.ID)
	if err != nil {
		return err
	}
	located := []quoted{}
	if kept != nil {
		if located, err = p.locate(r, view, page, kept.Evidence); err != nil {
			return err
		}
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(located)
}

// locate finds the quotes that the evidence takes from a page of the company's deck, and returns their areas on it. It
// leaves out quotes that are not found there. Pages count from 1. The deck must be a file, not a link. The result is
// never nil, so that it is encoded as [] in JSON.
func (p *pages) locate(r *http.Request, view company.View, page int, evidence []findings.Evidence) ([]quoted, error) {
	var texts []string
	var which []int
	for i, e := range evidence {
		if e.Page == page && e.Quote != "" && isOfDeck(view, e.File) {
			texts, which = append(texts, e.Quote), append(which, i)
		}
	}
	located := []quoted{}
	if len(texts) == 0 {
		return located, nil
	}
	found, err := p.deps.Slides.Quoted(r.Context(), *view.Deck.StoragePath, page, texts)
	if err != nil {
		return nil, fmt.Errorf("locate the quotes of company %s: %w", view.ID, err)
	}
	for i, areas := range found {
		if len(areas) > 0 {
			located = append(located, quoted{which[i], areas})
		}
	}
	return located, nil
}

// isOfDeck reports whether file, the title of the file that a finding quotes, is the title of the company's deck.
func isOfDeck(view company.View, file string) bool {
	return view.Deck != nil && file == view.Deck.Title
}
