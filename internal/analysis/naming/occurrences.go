package naming

import (
	"slices"
	"strconv"
	"strings"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/rank"
	"dealflow/internal/analysis/text"
)

// Occurrences adds features for how often and where the text has the name, and for the words and punctuation around its
// first five occurrences.
func (c *Context) Occurrences(v *rank.Vector, one *Candidate) {
	rank.Bin(v, "times", len(one.At))
	if more := c.Longer[one.joined]; more > 0 {
		v.Set("part of a longer name", more >= len(one.At))
		v.Set("seldom part of a longer name", more < len(one.At))
	}
	if len(one.Words) > 1 {
		parts := one.parts()
		v.Set("its beginning is more", c.Occurred[parts[1]] > len(one.At))
		v.Set("its end is more", c.Occurred[parts[0]] > len(one.At))
	}
	if len(one.At) == 0 {
		v.Add("nowhere", 1)
		return
	}
	rank.Bin(v, "first at", one.At[0].First)
	const most = 5
	var room [128]rank.Key
	seen := room[:0]
	for i, h := range one.At[:min(len(one.At), most)] {
		occurrence := c.occurrenceAt(h)
		for _, f := range occurrence {
			if !slices.Contains(seen, f.key) {
				seen = append(seen, f.key)
				v.AddKey(f.key, f.worth)
			}
			if i == 0 {
				v.AddKey(f.key.Append(" at first"), f.worth/2)
			}
		}
	}
}

// feature is one entry of a vector: its key and its value.
type feature struct {
	key   rank.Key
	worth float64
}

// Occurrences are the features of occurrences, by the index of the token at which these begin. They are added when they
// are needed, so Occurrences must not be used by several goroutines at once.
type Occurrences [][]occurrence

type occurrence struct {
	last     int
	features []feature
}

// NewOccurrences returns the Occurrences of a text, none of which is known.
func NewOccurrences(rd *Subject) Occurrences { return make(Occurrences, len(rd.Tokens)) }

// occurrenceAt returns the features of one occurrence. It computes them once, since several candidates may share one.
func (c *Context) occurrenceAt(h lexicon.Hit) []feature {
	for _, known := range c.Known[h.First] {
		if known.last == h.Last {
			return known.features
		}
	}
	features := c.occurrence(h)
	c.Known[h.First] = append(c.Known[h.First], occurrence{h.Last, features})
	return features
}

func (c *Context) occurrence(h lexicon.Hit) []feature {
	features := make([]feature, 0, 24)
	add := func(key rank.Key, worth float64) { features = append(features, feature{key, worth}) }
	t := c.Rd.Tokens
	addNeighbours(t, h, add)
	body := c.Rd.Body
	left, right := text.MarkBefore(body, t[h.First].Start), text.MarkAfter(body, t[h.Last-1].End)
	add(rank.NewKey("left ").Append(left), 0.7)
	add(rank.NewKey("right ").Append(right), 0.7)
	add(rank.NewKey("between ").Append(left).Append(" ").Append(right), 0.7)
	quoted := "not quoted"
	if c.Rd.IsQuoted(t[h.First].Start) {
		quoted = "quoted"
	}
	add(rank.NewKey(quoted), 1)
	if h.First <= 1 {
		add(rank.NewKey("opens the text"), 1)
	}
	if h.Last >= len(t)-6 {
		add(rank.NewKey("near the end"), 1)
	}
	for _, near := range text.ConceptsNear(c.Rd.Text, h) {
		add(rank.NewKey("concept ").Append(near.Section).Append(near.Where), 0.7)
	}
	c.inList(h, left, right, add)
	s := people.Span{Start: t[h.First].Start, End: t[h.Last-1].End}
	b := &ballot{r: c.r, rd: c.Rd.Scene}
	if worth, ok := b.leadWorth(s); ok {
		add(rank.NewKey("led by ").Append(strconv.Itoa(worth)), 1)
	}
	if worth := b.followWorth(s); worth > 0 {
		add(rank.NewKey("followed by ").Append(strconv.Itoa(worth)), 1)
	}
	return append(features, feature{appendShape(rank.NewKey("stands as "), body[s.Start:s.End]), 0.5})
}

// addNeighbours adds features for the word before and the word after the occurrence, and for the pairs of words there,
// if they are in its sentence.
func addNeighbours(t []lexicon.Token, h lexicon.Hit, add func(rank.Key, float64)) {
	before, after := "^", "$"
	begins := h.First == 0 || t[h.First-1].Sentence != t[h.First].Sentence
	ends := h.Last >= len(t) || t[h.Last].Sentence != t[h.Last-1].Sentence
	if !begins {
		before = t[h.First-1].Folded
	}
	if !ends {
		after = t[h.Last].Folded
	}
	add(rank.NewKey("before ").Append(before), 1)
	add(rank.NewKey("after ").Append(after), 1)
	if !begins && h.First > 1 && t[h.First-2].Sentence == t[h.First].Sentence {
		add(rank.NewKey("before ").Append(t[h.First-2].Folded).Append(" ").Append(before), 1)
	}
	if !ends && h.Last+1 < len(t) && t[h.Last+1].Sentence == t[h.Last-1].Sentence {
		add(rank.NewKey("after ").Append(after).Append(" ").Append(t[h.Last+1].Folded), 1)
	}
}

// appendShape returns a key with the wordShape of each of the first three words appended: "Aa" for "Acme labs".
func appendShape(key rank.Key, text string) rank.Key {
	const most = 3
	words := 0
	for w := range strings.FieldsSeq(text) {
		key = key.Append(wordShape(w))
		if words++; words == most {
			break
		}
	}
	return key
}
