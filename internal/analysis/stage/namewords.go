package stage

import (
	"slices"
	"strings"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/rank"
)

// ofWords adds features for the words of the name of stage i that the text has in any form: how the words around them
// change their meaning, and whether names of other stages also contain these words.
func (c *Context) ofWords(v *rank.Vector, i int) {
	found := 0
	var seen []string
	for _, stem := range c.stems[i] {
		word := "a word of its name"
		if c.isShared(stem, i) {
			word = "a word of several names"
		}
		senses := c.sensesOf(stem, c.P.Concepts[i])
		for _, sense := range senses {
			seen = lexicon.AppendNew(seen, word)
			seen = lexicon.AppendNew(seen, word+" "+sense)
		}
		found += lexicon.BoolInt(len(senses) > 0)
	}
	for _, name := range seen {
		v.Add(name, 1)
	}
	if all := len(c.stems[i]); all > 0 {
		v.Add("share of its words", float64(found)/float64(all))
		v.Set("all of its words", found == all)
	}
}

// isShared reports whether the name of a stage other than i has a word with this stem.
func (c *Context) isShared(stem string, i int) bool {
	for n := range c.stems {
		if n != i && slices.Contains(c.stems[n], stem) {
			return true
		}
	}
	return false
}

// sensesOf returns the distinct senses of the words that begin with stem, as Sense returns them for a phrase of this
// concept, with "in a quote " before the sense of a word in a quote. It looks at the first eight such words among the
// first 600 words of the text.
func (c *Context) sensesOf(stem, concept string) []string {
	const first, most = 600, 8
	var senses []string
	occurrences := 0
	for at, t := range c.Rd.Tokens[:min(len(c.Rd.Tokens), first)] {
		if !strings.HasPrefix(t.Folded, stem) {
			continue
		}
		where := ""
		if c.Rd.IsQuoted(t.Start) {
			where = "in a quote "
		}
		h := lexicon.Hit{First: at, Last: at + 1, Section: concept}
		senses = lexicon.AppendNew(senses, where+c.r.Sense(c.Rd.Text, h, c.frames))
		if occurrences++; occurrences == most {
			break
		}
	}
	return senses
}

// stemsOf returns, for each word of a name, the beginning that its inflected forms share. It leaves out words of fewer
// than three letters, except in scripts without spaces.
func stemsOf(name string) []string {
	const shortest = 3
	var all []string
	for _, t := range lexicon.Tokenize(bareName(name)) {
		r := []rune(t.Folded)
		switch n := len(r); {
		case n == 0 || n < shortest && !lexicon.IsUnspaced(r[0]):
			continue
		case n > 6:
			r = r[:max(5, n-3)]
		case n > 4:
			r = r[:n-1]
		}
		all = lexicon.AppendNew(all, string(r))
	}
	return all
}
