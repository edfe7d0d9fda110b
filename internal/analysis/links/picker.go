package links

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"dealflow/internal/analysis/lexicon"
)

// DeckPicker chooses the deck among the links of a text. It is built once and may be used by many goroutines.
type DeckPicker struct {
	classes   []DeckClass
	extractor *Extractor
	words     *lexicon.Phrases
	tag       *regexp.Regexp
	version   *regexp.Regexp
}

// NewDeckPicker builds a DeckPicker for a table of classes that ParseDeckClasses or DefaultDeckClasses returned.
func NewDeckPicker(classes []DeckClass) *DeckPicker {
	return &DeckPicker{
		classes:   classes,
		extractor: NewExtractor(classes),
		words:     lexicon.LoadPhrases("deck.txt"),
		tag:       regexp.MustCompile(`<[^<>]{0,400}>`),
		version:   regexp.MustCompile(`(?i)\bv(?:ersion)?[ .]?(\d{1,2})\b`),
	}
}

// candidate is a link that may be the deck, with its class and a score for the words around it, as Judge returns them.
type candidate struct {
	url    string
	Class  DeckClass
	score  int
	named  bool // the text calls the link a deck
	praise bool // the text calls the link current
}

// Pick returns the deck link among links, which are those that Links found in text, and one sentence that says why. The
// link of the class with the lowest rank wins. Within a class the words around the links decide: most of all whether
// they call a link current or stale, but also its version, and whether they call it a deck or something else; of equal
// links the first wins. If none of the links can be a deck, url is "" and the sentence says so.
func (d *DeckPicker) Pick(text string, links []string) (url, reason string) {
	if len(links) == 0 {
		return "", noLink
	}
	return d.PickCleaned(d.extractor.Clean(text), links)
}

// noLink is the reason of Pick and PickCleaned if there are no links.
const noLink = "The text holds no link."

// PickCleaned is Pick for a text that Extractor.Clean returned.
func (d *DeckPicker) PickCleaned(text Cleaned, links []string) (url, reason string) {
	if len(links) == 0 {
		return "", noLink
	}
	said := d.sayings(text)
	var best *candidate
	rivals := 0
	for _, link := range links {
		c, ok := d.Judge(link, said[link])
		switch {
		case !ok:
			continue
		case best == nil || c.Class.Rank < best.Class.Rank:
			best, rivals = &c, 0
		case c.Class.Rank == best.Class.Rank:
			rivals++
			if c.score > best.score {
				best = &c
			}
		}
	}
	if best == nil {
		return "", "None of the links looks like a deck or a page of the company."
	}
	return best.url, d.reason(*best, rivals)
}

func (d *DeckPicker) reason(c candidate, rivals int) string {
	switch {
	case rivals == 0:
		return fmt.Sprintf("The link is of the class %q, the highest that the text has.", c.Class.Name)
	case c.praise:
		return fmt.Sprintf("Of %d links of the class %q the text calls this one the current deck.", rivals+1, c.Class.Name)
	case c.named:
		return fmt.Sprintf("Of %d links of the class %q the text calls this one the deck.", rivals+1, c.Class.Name)
	}
	return fmt.Sprintf("It is the first of %d links of the class %q.", rivals+1, c.Class.Name)
}

// Judge returns a link with its class, which is empty if none matches, and with a score for words, which is what the
// text says about the link. Among links of one class, the one with the highest score is the likeliest deck. Judge also
// reports whether the link can be a deck.
func (d *DeckPicker) Judge(link string, words Saying) (candidate, bool) {
	host, rest := SplitLink(link)
	path, query, _ := strings.Cut(strings.ToLower(rest), "?")
	path, _, _ = strings.Cut(path, "#")
	c := candidate{url: link, named: words.Deck, praise: words.current > words.stale}
	c.score = 4*(words.current-words.stale) + words.version
	if words.Deck {
		c.score += 2
	} else if words.other {
		c.score -= 2
	}
	for _, class := range d.classes {
		if !class.holds(host, path, query) || query == "" && isFrontDoor(class, path) {
			continue
		}
		c.Class = class
		return c, !class.Never && (!class.OnlyNamed || words.Deck)
	}
	return c, false
}

// isFrontDoor reports whether the class is a deck platform and the path, in lower case, leads to its home page or a
// sales page. Such a link, without a query, does not belong to the class; it may belong to a later one, as any page
// does.
func isFrontDoor(class DeckClass, path string) bool {
	if class.Never || class.OnlyNamed || len(class.Patterns) == 1 && class.Patterns[0] == "*" {
		return false
	}
	return lexicon.In("front doors", strings.Trim(path, "/"))
}

// Saying counts what the words around a link say about it: that it is current or stale (1 each), that it is a deck or
// something else, and its version, from 0 for none up to 3.
type Saying struct {
	current, stale int
	Deck, other    bool
	version        int
}

// sayings returns, by URL, what the words before and after each link say about it, and sentences about "the first link"
// and the like.
func (d *DeckPicker) sayings(given Cleaned) map[string]Saying {
	text, all := given.Text, given.Links
	said := make(map[string]Saying, len(all))
	for i, l := range all {
		lower, upper := 0, len(text)
		if i > 0 {
			lower = all[i-1].End
		}
		if i+1 < len(all) {
			upper = all[i+1].Start
		}
		s := said[l.Url]
		s.add(d, d.before(text, lower, l.Start))
		s.add(d, d.after(text, l.End, upper))
		said[l.Url] = s
	}
	d.ordinals(text, all, said)
	return said
}

func (s *Saying) add(d *DeckPicker, words string) {
	var current, stale bool
	for _, h := range d.words.Find(lexicon.Tokenize(words)) {
		switch h.Section {
		case "current":
			current = true
		case "stale":
			stale = true
		case "deck":
			s.Deck = true
		case "other":
			s.other = true
		}
	}
	switch {
	case stale:
		s.stale = 1 // "no longer current", "the old new deck": a warning counts more than praise
	case current:
		s.current = 1
	}
	if m := d.version.FindStringSubmatch(words); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			s.version = max(s.version, min(n, 3)) // less than the points for the words "current" and "old"
		}
	}
}

const (
	farthest  = 160 // bytes of text that belong to a link at most
	labelLine = 60  // a line above a link that is no longer than this is its label
)

// before returns the words that introduce the link at start: the words of its line and sentence before it and, if it is
// first in its line, the line above if that is short. It returns words of at most 160 bytes before the link and after
// lower, the end of the previous link.
func (d *DeckPicker) before(text string, lower, start int) string {
	lead := text[max(lower, start-farthest):start]
	if i := strings.LastIndexByte(lead, '<'); i > strings.LastIndexByte(lead, '>') && i+1 < len(lead) {
		lead = lead[:i] // the tag that the link is in
	}
	lead = d.tag.ReplaceAllString(lead, " ")
	line := lead[strings.LastIndexByte(lead, '\n')+1:]
	if strings.Trim(line, " \t<([*-•\"'>") == "" {
		above := strings.TrimRight(lead[:len(lead)-len(line)], " \t\r\n")
		i := strings.LastIndexByte(above, '\n')
		// otherwise the line above is about the previous link
		if label := above[i+1:]; len(label) <= labelLine && (i >= 0 || lower == 0) {
			line = label
		}
	}
	if i := lastSentenceEnd(line); i >= 0 {
		line = line[i:]
	}
	if lower > 0 {
		line = afterOwnWords(line)
	}
	return line
}

// lastSentenceEnd returns the index at which the last sentence of the line begins, -1 if it is the only one.
func lastSentenceEnd(line string) int {
	best := -1
	for _, end := range []string{". ", "! ", "? ", "; ", "。"} {
		if i := strings.LastIndex(line, end); i >= 0 && strings.TrimSpace(line[i+len(end):]) != "" {
			best = max(best, i+len(end))
		}
	}
	return best
}

// afterOwnWords returns the text between two links without the words about the first link: "new: " if the text is "
// (old), new: ".
func afterOwnWords(between string) string {
	if i := strings.LastIndexAny(between, "),|"); i >= 0 && strings.TrimSpace(between[i+1:]) != "" {
		return between[i+1:]
	}
	return between
}

// after returns the words that follow the link that ends at end, up to the end of its line, its sentence or its tag, at
// most 160 bytes. It leaves out words that lead to the next link, which begins at upper.
func (d *DeckPicker) after(text string, end, upper int) string {
	tail := text[end:min(upper, end+farthest)]
	if line, _, more := strings.Cut(tail, "\n"); more {
		return d.ownTail(line)
	}
	if end+len(tail) == upper && upper < len(text) {
		return d.ownTail(leadCut(tail))
	}
	return d.ownTail(tail)
}

// leadCut returns the beginning of the text between two links, up to the words that introduce the second link; "" if
// all of it introduces the second.
func leadCut(between string) string {
	trimmed := strings.TrimRight(between, " <([\"'")
	if i := strings.LastIndexAny(between, "),;|"); i >= 0 && strings.TrimSpace(between[i+1:]) != "" {
		return between[:i+1]
	}
	if strings.HasSuffix(trimmed, ":") || strings.HasSuffix(trimmed, ">") || strings.HasSuffix(trimmed, "=") {
		return ""
	}
	if i := lastSentenceEnd(between); i >= 0 {
		return between[:i]
	}
	return between
}

func (d *DeckPicker) ownTail(tail string) string {
	if i := strings.Index(tail, "</a"); i >= 0 {
		tail = tail[:i]
	}
	tail = d.tag.ReplaceAllString(strings.TrimLeft(tail, "\"'"), " ")
	for _, end := range []string{". ", "! ", "; "} {
		if i := strings.Index(tail, end); i >= 0 {
			tail = tail[:i]
		}
	}
	return tail
}

// ordinals adds to said what sentences such as "please ignore the first link" and "use the second one" say about the
// links. It recognizes only the first, the second and the latter link, and does nothing for fewer than two links or a
// text of more than 64 KB.
func (d *DeckPicker) ordinals(text string, all []found, said map[string]Saying) {
	if len(all) < 2 || len(text) > 64<<10 {
		return
	}
	tokens := lexicon.Tokenize(text)
	for i, t := range tokens {
		var at int
		switch {
		case lexicon.In("the first of links", t.Folded):
			at = 0
		case lexicon.In("the second of links", t.Folded):
			at = 1
		case t.Folded == "latter":
			at = len(all) - 1
		default:
			continue
		}
		if i+1 >= len(tokens) || !isLinkWord(tokens[i+1].Folded) && t.Folded != "former" && t.Folded != "latter" {
			continue
		}
		s := said[all[at].Url]
		s.add(d, sentenceAround(text, tokens, i))
		said[all[at].Url] = s
	}
}

func isLinkWord(word string) bool {
	return lexicon.In("words for links", word)
}

func sentenceAround(text string, tokens []lexicon.Token, i int) string {
	first, last := i, i
	for first > 0 && tokens[first-1].Clause == tokens[i].Clause {
		first--
	}
	for last+1 < len(tokens) && tokens[last+1].Clause == tokens[i].Clause {
		last++
	}
	return text[tokens[first].Start:tokens[last].End]
}
