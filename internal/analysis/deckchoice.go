package analysis

import "strings"

// deckAmong picks the deck among several documents where that is asked, and gives it as the only one to read.
func (r *Rules) deckAmong(in Input) (decision, []Document) {
	if len(in.Documents) == 0 {
		_, d := r.pickDocument(nil)
		return d, nil
	}
	if !in.PickDeck {
		only := in.Documents[0]
		return decision{value: only.ID, at: firstPage(only), features: features{certain: 1}}, in.Documents[:1]
	}
	i, d := r.pickDocument(in.Documents)
	picked := in.Documents[max(0, i)]
	if i >= 0 {
		d.value, d.at = picked.ID, firstPage(picked)
	}
	return d, []Document{picked}
}

// firstPage returns the first line that the document shows, as the only one that is read.
func firstPage(d Document) place {
	for i, page := range d.Pages {
		for line := range strings.Lines(page) {
			if line = strings.TrimSpace(line); line != "" {
				return place{doc: 1, page: i + 1, quote: line}
			}
		}
	}
	return place{doc: 1}
}

// linkDecision weighs the link that was picked for the deck: among few of a platform for decks hardly anybody errs.
func (r *Rules) linkDecision(in Input) decision {
	const most = 100
	d := decision{value: in.DeckURL, at: place{literal: in.DeckURL}, features: features{}}
	own, _ := r.picker.judge(in.DeckURL, saying{deck: true})
	rivals := 0
	for _, link := range in.Links[:min(len(in.Links), most)] {
		if c, ok := r.picker.judge(link, saying{}); ok && link != in.DeckURL && c.class.Rank == own.class.Rank {
			rivals++
		}
	}
	d.features["rivals"] = float64(min(rivals, 3))
	d.features.set("plain", len(own.class.Patterns) == 1 && own.class.Patterns[0] == "*")
	return d
}
