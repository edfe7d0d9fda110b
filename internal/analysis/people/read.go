package people

import (
	"strings"

	"dealflow/internal/analysis/text"
)

// Read finds the people of a text, and who speaks in it. t must come from text.Reader.Read. The result must not be used
// by several goroutines at once.
func (r *Finder) Read(t *text.Text) *Scene {
	scene := &Scene{Cast: r.cast(r.names(t))}
	r.findSpeakers(scene)
	scene.Mentions = append(scene.Mentions, r.recipients(scene)...)
	return scene
}

// names finds the parts of a text that may be names, and its first 20 phone numbers.
func (r *Finder) names(t *text.Text) *Names {
	const most, near = 20, 24
	n := &Names{Text: t, Titles: r.titles(t.Body, t.Tokens), persons: map[string]int{}}
	n.Spans = r.spans(n)
	n.Phones = r.phone.FindAllStringIndex(t.Body, most)
	n.FirstWord = len(t.Body) - len(strings.TrimLeft(t.Body, " \n"))
	if len(n.Spans) > 0 && n.Spans[0].Start-n.FirstWord < near {
		n.FirstWord = n.Spans[0].Start
	}
	n.Greeted = r.greeted(n, n.Spans)
	return n
}

// cast finds the people among the parts of a text that may be names. It keeps the first text.MostPeople mentions.
func (r *Finder) cast(n *Names) *Cast {
	all := append(r.mentions(n, n.Spans), r.cjkPeople(n.Text)...)
	return &Cast{Names: n, Mentions: all[:min(len(all), text.MostPeople)]}
}

// mentions returns the people that the text names, those with the strongest evidence first, except those that cjkPeople
// finds.
func (r *Finder) mentions(rd *Names, spans []Span) []Mention {
	var all []Mention
	all = append(all, r.formPeople(rd)...)
	all = append(all, r.titled(rd, spans)...)
	all = append(all, r.led(rd, spans)...)
	all = append(all, r.introducedHere(rd, spans)...)
	all = append(all, r.doers(rd, spans)...)
	all = append(all, r.senders(rd.Text)...)
	all = append(all, r.signatures(rd, spans)...)
	all = append(all, r.chatPeople(rd)...)
	return all
}
