package analysis

// Outline is what is found in a text at once, before its analysis: the text is cleaned for all of it one time.
type Outline struct {
	Links               []string // as of Extractor.Links
	DeckURL, DeckReason string   // as of DeckPicker.Pick

	rules   *Rules
	text    string
	cleaned cleaned
}

// Outline reads a text for its links and the deck among them.
func (r *Rules) Outline(text string) Outline {
	o := Outline{rules: r, text: text, cleaned: r.extractor.clean(text)}
	o.Links = distinct(o.cleaned.links)
	o.DeckURL, o.DeckReason = r.picker.pick(o.cleaned, o.Links)
	return o
}

// FallbackName returns what Rules.FallbackName returns for the text and its links.
func (o Outline) FallbackName() string {
	if len(o.text) > headRead { // only the beginning of a long text is read
		return o.rules.FallbackName(o.text, o.Links)
	}
	name, _ := o.rules.fallback(o.rules.open(o.text, o.cleaned), o.Links)
	return name
}
