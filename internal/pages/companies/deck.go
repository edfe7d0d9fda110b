package companies

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"dealflow/internal/company"
	"dealflow/internal/pages/frame"
	"dealflow/internal/pages/render"
)

// slide is a page of the deck.
type slide struct {
	N    int
	URL  string
	Text string // the text on the page, for people who cannot see it

	Quotes string // the address of the areas of quotes on the page; "" if it has none
}

// longestAlt is how many characters of the text of a deck's page describe the picture of the page.
const longestAlt = 300

// loadDeck adds the pages of the deck to m, unless the deck is a link. The address of a page contains the id of the
// deck's file, so that browsers may keep the picture of the page. loadDeck also removes the links of findings that
// quote a file other than the deck.
func (p *pages) loadDeck(ctx context.Context, s *frame.Scene, view company.View, m *deal) error {
	for i := range m.Findings {
		if one := &m.Findings[i]; one.File != "" && !isOfDeck(view, one.File) {
			one.Link, one.Page = "", 0 // no page shows it
		}
	}
	if view.Deck == nil || view.Deck.StoragePath == nil {
		return nil
	}
	m.DeckName = view.Deck.Title
	pages, err := p.deps.Companies.DeckPages(ctx, s.Who, view.ID)
	if err != nil {
		return err
	}
	for i, words := range pages {
		m.Slides = append(m.Slides, slide{
			N: i + 1, URL: fmt.Sprintf("%s/deck/%d?%s", m.URL, i+1, view.Deck.ID), Text: render.Excerpt(words, longestAlt),
		})
	}
	for _, one := range m.Findings {
		if one.Page > 0 && one.Page <= len(m.Slides) {
			m.Slides[one.Page-1].Quotes = fmt.Sprintf("%s/deck/%d/quotes", m.URL, one.Page)
		}
	}
	return nil
}

// deckPageOf returns the company and the number of the page of its deck that are in the path. The error is that of
// visibleCompany, or NotFound if the company has no deck, if its deck is a link, or if the page is not a number. It
// does not check whether the deck has such a page.
func (p *pages) deckPageOf(r *http.Request, s *frame.Scene) (company.View, int, error) {
	view, err := p.visibleCompany(r, s)
	if err != nil {
		return view, 0, err
	}
	page, err := strconv.Atoi(r.PathValue("page"))
	if err != nil || view.Deck == nil || view.Deck.StoragePath == nil {
		return view, 0, frame.NotFound()
	}
	return view, page, nil
}

// deckPage answers with the picture of a page of the deck. A browser may keep it for a day if the query is the id of
// the deck's file. The error is that of deckPageOf or slides.Slides.Page.
func (p *pages) deckPage(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	view, page, err := p.deckPageOf(r, s)
	if err != nil {
		return err
	}
	picture, err := p.deps.Slides.Page(r.Context(), *view.Deck.StoragePath, page)
	if err != nil {
		return err
	}
	defer picture.Close()
	w.Header().Set("Content-Type", picture.MediaType)
	w.Header().Set("Cache-Control", "no-cache, private")
	if r.URL.RawQuery == view.Deck.ID.String() {
		w.Header().Set("Cache-Control", "private, max-age=86400, immutable")
	}
	http.ServeContent(w, r, "", time.Time{}, picture)
	return nil
}
