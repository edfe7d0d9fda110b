package people

import (
	"regexp"
	"strings"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// Finder finds the people of a text. It is built once and may be used by many goroutines.
type Finder struct {
	words *lexicon.Words
	text  *text.Reader

	capitals *regexp.Regexp // a run of capitalized words
	phone    *regexp.Regexp
	cjk      cjkPatterns
}

// NewFinder returns a Finder that looks words up in the lexicon.
func NewFinder(words *lexicon.Words, reader *text.Reader) *Finder {
	word := `(?:(?:Dr|Prof|St|Ste)\.|(?:\p{Lu}[\p{L}\p{M}\d]*|\d+\p{Lu}\p{L}*|\p{Ll}{1,2}\p{Lu}[\p{L}\p{M}]+)` +
		`(?:['’.\-][\p{L}\p{M}\d]+)*|\p{Lu}\.)`
	joint := ` (?:(?:&|\+|de|da|di|del|della|dos|das|do|van|von|der|den|ter|la|le|al|el|bin|ben|zu) ){0,2}`
	return &Finder{
		words: words, text: reader,
		capitals: regexp.MustCompile(`^` + word + `(?:` + joint + word + `){0,4}`),
		phone:    regexp.MustCompile(`(?:\+|00)\d[\d ()/.\-]{6,20}\d|\(?0\d{2,4}\)?[ /\-]\d[\d \-/]{4,12}\d`),
		cjk:      newCJKPatterns(),
	}
}

// Names is a text with the parts of it that may be names. It must not be used by several goroutines at once.
type Names struct {
	*text.Text

	Titles    []Title
	Spans     []Span          // runs of capitalized words
	Phones    [][]int         // the start and end of each phone number in the body
	FirstWord int             // where the first name or word of the text begins
	Greeted   map[string]bool // the squeezed names of those to whom the text is addressed

	persons map[string]int // the results of Personness by name
}

// Cast is a text with the people that it mentions.
type Cast struct {
	*Names

	Mentions []Mention
}

// Scene is a text with its people, and who speaks in it: the founders, an introducer or the investor.
type Scene struct {
	*Cast

	Greets, Signs bool       // with a letter's greeting, a letter's farewell
	LetterAt      text.Place // the first greeting or farewell
	FounderVoice  bool       // the founders themselves speak
	Introduces    bool       // somebody else introduces the founders
	Replies       bool       // the investor answers the founders
	SpeaksOfDeal  bool       // the text reads like the investor's note about a deal
}

// Read finds the people of a text, and who speaks in it.
func (r *Finder) Read(t *text.Text) *Scene {
	scene := &Scene{Cast: r.cast(r.names(t))}
	r.findSpeakers(scene)
	scene.Mentions = append(scene.Mentions, r.recipients(scene)...)
	return scene
}

// names finds the parts of a text that may be names.
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

// cast finds the people among the parts of a text that may be names.
func (r *Finder) cast(n *Names) *Cast {
	all := append(r.mentions(n, n.Spans), r.cjkPeople(n.Text)...)
	return &Cast{Names: n, Mentions: all[:min(len(all), text.MostPeople)]}
}
