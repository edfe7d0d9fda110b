package rules

import (
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/text"
)

// Outline is the result of reading a text before its analysis: its links and the deck among them. The text is cleaned
// only once.
type Outline struct {
	Links               []string // as of Extractor.Links
	DeckURL, DeckReason string   // as of DeckPicker.Pick

	rules   *Rules
	text    string
	cleaned links.Cleaned
}

// Outline finds the links of a text and the deck among them.
func (r *Rules) Outline(text string) Outline {
	o := Outline{rules: r, text: text, cleaned: r.extractor.Clean(text)}
	o.Links = links.Distinct(o.cleaned.Links)
	o.DeckURL, o.DeckReason = r.picker.PickCleaned(o.cleaned, o.Links)
	return o
}

// FallbackName returns what Rules.FallbackName returns for the text and its links.
func (o Outline) FallbackName() string {
	if len(o.text) > text.HeadRead { // only the beginning of a long text is read
		return o.rules.naming.FallbackName(o.text, o.Links)
	}
	name, _ := o.rules.naming.Fallback(o.rules.text.Open(o.text, o.cleaned), o.Links)
	return name
}
