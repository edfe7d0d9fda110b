package analysis

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"dealflow/internal/analysis/rank"
)

// stageContext is what the features of all stages of a pipeline are read off.
type stageContext struct {
	r              *Rules
	rd             *reading
	p              pipeline
	rules          decision // the rules' choice
	blind          bool
	kinds, meaning []float64
	senses         [][]float64
	matches        []float64
	claims         []claim
	named          [][]hit             // where each stage stands by its name
	spoken         map[string][]string // where the text speaks of a concept
}

func (r *Rules) stageContext(rd *reading, p pipeline, rules decision, kinds, meaning []float64) *stageContext {
	c := &stageContext{r: r, rd: rd, p: p, rules: rules, kinds: kinds, meaning: meaning, senses: r.senses(p), named: make([][]hit, len(p.stages))}
	for _, q := range c.senses {
		match := 0.0
		for m := range q {
			match += float64(q[m] * meaning[m])
		}
		c.matches = append(c.matches, match)
	}
	c.claims = r.claims(rd, p)
	c.spoken = spokenOf(rd)
	for i := range rd.tokens {
		if stage, last := p.nameAt(rd.tokens, i); stage >= 0 {
			c.named[stage] = append(c.named[stage], hit{first: i, last: last})
		}
	}
	return c
}

// vectors describes each stage, and behind them that the deal is in none.
func (c *stageContext) vectors() []rank.Vector {
	all := make([]rank.Vector, 0, len(c.p.stages)+1)
	for i := range c.p.stages {
		all = append(all, c.vector(i))
	}
	return append(all, c.none())
}

func (c *stageContext) vector(i int) rank.Vector {
	var v rank.Vector
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
	for m, name := range meanings() {
		v.AddKey(rank.NewKey("meaning ").Append(name), float64(c.senses[i][m]*c.meaning[m]))
		v.AddKey(rank.NewKey("is ").Append(name), 0.5*c.senses[i][m])
		for k, p := range c.kinds {
			v.Add("kind "+kindNames()[k]+" "+name, float64(p*c.senses[i][m]))
		}
	}
	c.ofRules(&v, i)
	c.ofName(&v, i)
	c.ofPlace(&v, i)
	c.ofConcepts(&v, i)
	for _, s := range c.p.stages {
		if s.Rank < c.p.stages[i].Rank {
			return v
		}
	}
	v.Add("first", 1)
	v.Add("first intake", c.meaning[0])
	return v
}

// ofPlace adds where in the pipeline the stage is, beside what the text says of how far the deal is: names in a
// language or a humour that no lexicon knows are known by their place.
func (c *stageContext) ofPlace(v *rank.Vector, i int) {
	before := 0
	for _, s := range c.p.stages {
		if s.Rank < c.p.stages[i].Rank {
			before++
		}
	}
	behind := len(c.p.stages) - 1 - before
	const parts = 4
	places := []rank.Key{
		rank.NewKey("number ").Append(strconv.Itoa(min(before, 5))),
		rank.NewKey("number from the end ").Append(strconv.Itoa(min(behind, 4))),
		rank.NewKey("part ").Append(strconv.Itoa(parts * before / max(1, len(c.p.stages)-1))),
	}
	for _, place := range places {
		v.AddKey(place, 0.3)
		for m, name := range MeaningNames() {
			v.AddKey(place.Append(" where the text says ").Append(name), c.meaning[m])
		}
	}
}

// ofConcepts adds which of the concepts in the stage's name the text speaks of, in whatever language, and where.
func (c *stageContext) ofConcepts(v *rank.Vector, i int) {
	for _, concept := range c.p.speaks[i] {
		for _, where := range c.spoken[concept] {
			v.Add("text "+where+" its name", 1)
			v.Add("text "+where+" its "+concept, 0.5)
		}
		v.Set("text lacks its concept", len(c.spoken[concept]) == 0)
	}
}

// ofRules adds what the rules and their claims say of the stage.
func (c *stageContext) ofRules(v *rank.Vector, i int) {
	if c.blind {
		return
	}
	switch c.rules.value {
	case c.p.stages[i].ID:
		v.Add("rules choose", 1)
		for _, basis := range slices.Sorted(maps.Keys(c.rules.features)) {
			v.AddKey(rank.NewKey("rules choose by ").Append(basis), c.rules.features[basis])
		}
		v.Add("rules choose and match", c.matches[i])
		bin(v, "rules choose of words", len(c.rd.tokens))
		for k, p := range c.kinds {
			v.Add("rules choose in kind "+kindNames()[k], p)
		}
	case "":
		v.Add("rules choose none", 0.5)
	default:
		v.Add("rules choose another", 1)
	}
	best, worst := 0, 0
	for _, claim := range c.claims {
		if claim.stage == i {
			best, worst = max(best, claim.score), min(worst, claim.score)
		}
	}
	v.Set("claimed", best > 0)
	v.Add("claim", float64(best)/20)
	v.Set("only denied", best == 0 && worst < 0)
	frames := framesOf(c.rd.statusHits)
	seen := map[string]bool{}
	for _, claim := range c.claims {
		if sense := c.r.sense(c.rd, claim.hit, frames); claim.stage == i && !seen[sense] {
			seen[sense] = true
			v.AddKey(rank.NewKey("claim is ").Append(sense), 0.5)
		}
	}
}

// ofName adds where the text calls the stage by its name.
func (c *stageContext) ofName(v *rank.Vector, i int) {
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			v.Add(name, 1)
		}
	}
	frames := framesOf(c.rd.statusHits)
	const most = 8
	for _, h := range c.named[i][:min(len(c.named[i]), most)] {
		where := "named "
		if c.rd.isQuoted(c.rd.tokens[h.first].start) {
			where = "named in a quote "
		}
		h.section = c.p.concepts[i]
		add(where)
		add(where + c.r.sense(c.rd, h, frames))
		written := c.rd.body[c.rd.tokens[h.first].start:c.rd.tokens[h.last-1].end]
		if written == c.p.stages[i].Name {
			add(where + "as written")
		}
		if h.first > 0 {
			add("named after " + c.rd.tokens[h.first-1].folded)
		}
		if h.last == len(c.rd.tokens) {
			add("named last")
		}
		add("named between " + markBefore(c.rd.body, c.rd.tokens[h.first].start) + markAfter(c.rd.body, c.rd.tokens[h.last-1].end))
	}
}

// none describes that the text says no stage, or one that the account does not have.
func (c *stageContext) none() rank.Vector {
	var v rank.Vector
	v.Add("none", 1)
	v.Add("says none", 2*c.meaning[len(c.meaning)-1])
	v.Add("log none", math.Log(c.meaning[len(c.meaning)-1]+0.005))
	most := slices.Max(c.matches)
	v.Add("no match", 1-most)
	if c.rules.value == "" && !c.blind {
		v.Add("rules choose none too", 1)
		bin(&v, "rules choose none of words", len(c.rd.tokens))
		for _, basis := range slices.Sorted(maps.Keys(c.rules.features)) {
			v.AddKey(rank.NewKey("none by ").Append(basis), c.rules.features[basis])
		}
	}
	bin(&v, "none of words", len(c.rd.tokens))
	v.Set("nothing is claimed", len(c.claims) == 0)
	v.Set("there is an intake stage", c.p.intake >= 0)
	for k, p := range c.kinds {
		v.Add("none of kind "+kindNames()[k], p)
	}
	for m, name := range meanings() {
		has := 0.0
		for i := range c.p.stages {
			has = max(has, c.senses[i][m])
		}
		v.AddKey(rank.NewKey("lacks ").Append(name), float64(c.meaning[m]*(1-has)))
	}
	return v
}
