package stage

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"dealflow/internal/analysis/evidence"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/rank"
	"dealflow/internal/analysis/text"
)

// Likely has the probabilities from other models: of each kind of the text, in the order of rank.KindNames; of each
// meaning of the text, in the order of rank.MeaningNames; and, for each stage, of each meaning of the stage, in the
// order of rank.StageMeaningNames.
type Likely struct {
	Kinds, Meaning []float64
	Senses         [][]float64
}

// Context has the data from which the features of all stages of a pipeline are computed. If Blind is true, the features
// do not depend on what the rules chose and claimed.
type Context struct {
	r       *Judge
	Rd      *people.Scene
	P       Pipeline
	Rules   evidence.Decision // the rules' choice
	Blind   bool
	likely  Likely
	matches []float64 // for each stage, how likely it has the meaning of the text
	Claims  []Claim
	Named   [][]lexicon.Hit     // the occurrences of the name of each stage
	spoken  map[string][]string // the parts of the text that mention a concept
	phrases []string            // the sections of the phrases that the text itself holds, not a quote in it
	frames  frames
	stems   [][]string // of the words of each stage's name
}

// NewContext collects the data from which the features of the stages of p are computed; rules is the choice of the
// rules. p must have at least one stage. likely.Senses must have a row for each stage, and likely.Meaning and each row
// a value for each of lexicon.Meanings and one for the class after them. The caller sets Blind.
func (r *Judge) NewContext(rd *people.Scene, p Pipeline, rules evidence.Decision, likely Likely) *Context {
	c := &Context{
		r: r, Rd: rd, P: p, Rules: rules, likely: likely, Named: make([][]lexicon.Hit, len(p.Stages)),
	}
	for _, q := range likely.Senses {
		match := 0.0
		for m := range lexicon.Meanings() {
			match += float64(q[m] * likely.Meaning[m])
		}
		c.matches = append(c.matches, match)
	}
	c.Claims = r.claims(rd, p)
	c.spoken = text.SpokenOf(rd.Text)
	c.frames = FramesOf(rd.StatusHits)
	for _, h := range rd.StatusHits {
		if !rd.IsQuoted(rd.Tokens[h.First].Start) {
			c.phrases = lexicon.AppendNew(c.phrases, h.Section)
		}
	}
	for _, s := range p.Stages {
		c.stems = append(c.stems, stemsOf(s.Name))
	}
	for i := range rd.Tokens {
		if stage, last := p.nameAt(rd.Tokens, i); stage >= 0 {
			c.Named[stage] = append(c.Named[stage], lexicon.Hit{First: i, Last: last})
		}
	}
	return c
}

// Vectors returns a vector for each stage, in the order of the pipeline, and a last one for the deal being in none.
func (c *Context) Vectors() []rank.Vector {
	all := make([]rank.Vector, 0, len(c.P.Stages)+1)
	for i := range c.P.Stages {
		all = append(all, c.vector(i))
	}
	return append(all, c.none())
}

func (c *Context) vector(i int) rank.Vector {
	v := rank.NewVector(128)
	match := c.matches[i]
	rivals, better := 0.0, 0
	for n, m := range c.matches {
		if n != i {
			rivals = max(rivals, m)
			if m > match {
				better++
			}
		}
	}
	v.Add("match", 2*match)
	v.Add("log match", math.Log(match+0.005))
	v.Add("share", match/(match+rivals+0.01))
	v.Set("best match", better == 0)
	v.Set("second match", better == 1)
	kinds := rank.KindNames()
	for m, name := range lexicon.Meanings() {
		v.AddKey(rank.NewKey("meaning ").Append(name), float64(c.likely.Senses[i][m]*c.likely.Meaning[m]))
		v.AddKey(rank.NewKey("is ").Append(name), 0.5*c.likely.Senses[i][m])
		for k, p := range c.likely.Kinds {
			v.AddKey(rank.NewKey("kind ").Append(kinds[k]).Append(" ").Append(name), float64(p*c.likely.Senses[i][m]))
		}
	}
	c.ofRules(&v, i)
	c.ofName(&v, i)
	c.ofPosition(&v, i)
	c.ofConcepts(&v, i)
	c.ofSiblings(&v, i)
	c.ofWords(&v, i)
	for _, s := range c.P.Stages {
		if s.Rank < c.P.Stages[i].Rank {
			return v
		}
	}
	v.Add("first", 1)
	v.Add("first intake", c.likely.Meaning[0])
	return v
}

// ofPosition adds features for the position of the stage in the pipeline, alone and together with what the text says
// about the deal's stage. For a stage whose name is unknown, nothing but the position is known; the surer the meaning
// of a stage is, the less its position counts.
func (c *Context) ofPosition(v *rank.Vector, i int) {
	before := 0
	for _, s := range c.P.Stages {
		if s.Rank < c.P.Stages[i].Rank {
			before++
		}
	}
	behind := len(c.P.Stages) - 1 - before
	const parts, surest = 4, 0.7
	counts := 1 - surest*slices.Max(c.likely.Senses[i])
	positions := []rank.Key{
		rank.NewKey("number ").Append(strconv.Itoa(min(before, 5))),
		rank.NewKey("number from the end ").Append(strconv.Itoa(min(behind, 4))),
		rank.NewKey("part ").Append(strconv.Itoa(parts * before / max(1, len(c.P.Stages)-1))),
	}
	for _, position := range positions {
		v.AddKey(position, 0.3)
		for m, name := range rank.MeaningNames() {
			v.AddKey(position.Append(" where the text says ").Append(name), counts*c.likely.Meaning[m])
		}
	}
}

// ofConcepts adds features for the concepts in the name of stage i: where the text mentions them, in any language, or
// that it does not.
func (c *Context) ofConcepts(v *rank.Vector, i int) {
	for _, concept := range c.P.speaks[i] {
		for _, where := range c.spoken[concept] {
			v.Add("text "+where+" its name", 1)
			v.Add("text "+where+" its "+concept, 0.5)
		}
		v.Set("text lacks its concept", len(c.spoken[concept]) == 0)
	}
}

// ofRules adds features for whether the rules chose stage i, and for their claims about it; none if c.Blind is true.
func (c *Context) ofRules(v *rank.Vector, i int) {
	if c.Blind {
		return
	}
	switch c.Rules.Value {
	case c.P.Stages[i].ID:
		v.Add("rules choose", 1)
		for _, basis := range slices.Sorted(maps.Keys(c.Rules.Features)) {
			v.AddKey(rank.NewKey("rules choose by ").Append(basis), c.Rules.Features[basis])
		}
		v.Add("rules choose and match", c.matches[i])
		rank.Bin(v, "rules choose of words", len(c.Rd.Tokens))
		for k, p := range c.likely.Kinds {
			v.Add("rules choose in kind "+rank.KindNames()[k], p)
		}
	case "":
		v.Add("rules choose none", 0.5)
	default:
		v.Add("rules choose another", 1)
	}
	best, worst := 0, 0
	for _, claim := range c.Claims {
		if claim.Stage == i {
			best, worst = max(best, claim.Score), min(worst, claim.Score)
		}
	}
	v.Set("claimed", best > 0)
	v.Add("claim", float64(best)/20)
	v.Set("only denied", best == 0 && worst < 0)
	seen := map[string]bool{}
	for _, claim := range c.Claims {
		if sense := c.r.Sense(c.Rd.Text, claim.Hit, c.frames); claim.Stage == i && !seen[sense] {
			seen[sense] = true
			v.AddKey(rank.NewKey("claim is ").Append(sense), 0.5)
		}
	}
}

// ofName adds features for the first eight phrases of the text that are the name of stage i.
func (c *Context) ofName(v *rank.Vector, i int) {
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			v.Add(name, 1)
		}
	}
	const most = 8
	for _, h := range c.Named[i][:min(len(c.Named[i]), most)] {
		where := "named "
		if c.Rd.IsQuoted(c.Rd.Tokens[h.First].Start) {
			where = "named in a quote "
		}
		h.Section = c.P.Concepts[i]
		add(where)
		add(where + c.r.Sense(c.Rd.Text, h, c.frames))
		written := c.Rd.Body[c.Rd.Tokens[h.First].Start:c.Rd.Tokens[h.Last-1].End]
		if written == c.P.Stages[i].Name {
			add(where + "as written")
		}
		if h.First > 0 {
			add("named after " + c.Rd.Tokens[h.First-1].Folded)
		}
		if h.Last == len(c.Rd.Tokens) {
			add("named last")
		}
		add("named between " + text.MarkBefore(c.Rd.Body, c.Rd.Tokens[h.First].Start) +
			text.MarkAfter(c.Rd.Body, c.Rd.Tokens[h.Last-1].End))
	}
}

// none returns the vector of the choice that the text names no stage, or one that the account does not have.
func (c *Context) none() rank.Vector {
	var v rank.Vector
	v.Add("none", 1)
	v.Add("says none", 2*c.likely.Meaning[len(c.likely.Meaning)-1])
	v.Add("log none", math.Log(c.likely.Meaning[len(c.likely.Meaning)-1]+0.005))
	most := slices.Max(c.matches)
	v.Add("no match", 1-most)
	if c.Rules.Value == "" && !c.Blind {
		v.Add("rules choose none too", 1)
		rank.Bin(&v, "rules choose none of words", len(c.Rd.Tokens))
		for _, basis := range slices.Sorted(maps.Keys(c.Rules.Features)) {
			v.AddKey(rank.NewKey("none by ").Append(basis), c.Rules.Features[basis])
		}
	}
	rank.Bin(&v, "none of words", len(c.Rd.Tokens))
	v.Set("nothing is claimed", len(c.Claims) == 0)
	v.Set("there is an intake stage", c.P.Intake >= 0)
	for k, p := range c.likely.Kinds {
		v.Add("none of kind "+rank.KindNames()[k], p)
	}
	for m, name := range lexicon.Meanings() {
		has := 0.0
		for i := range c.P.Stages {
			has = max(has, c.likely.Senses[i][m])
		}
		v.AddKey(rank.NewKey("lacks ").Append(name), float64(c.likely.Meaning[m]*(1-has)))
	}
	return v
}
