package analysis

import (
	"maps"
	"slices"
	"strings"

	"dealflow/internal/analysis/rank"
)

// Observation is a text as both readers see it: what the rules make of it, and the features that the models weigh. The
// trainer builds its examples of it, and reading its decisions.
type Observation struct {
	r  *Rules
	rd *reading
	in Input

	name, status, source decision // of the rules
	founders             []founderFound
	mentions             []mention
	pipeline             pipeline
	names                []*nameCandidate
	text                 rank.Vector
	blind                bool          // to what the rules decided
	bare                 []rank.Vector // of the names, without the kind of text
	places               map[[2]int][]feature
}

// Blind returns the observation without what the rules decided, for texts that they were made with: what they decide
// there says nothing of how far they can be trusted.
func (o *Observation) Blind() *Observation {
	other := *o
	other.blind = true
	other.name, other.status, other.source, other.founders = decision{}, decision{}, decision{}, nil
	return &other
}

// Observe reads an input for the models.
func (r *Rules) Observe(in Input) *Observation {
	in.Text = r.guard.ofRead(in.Text)
	_, in.Documents = r.deckAmong(in)
	return r.observe(r.understand(in), in)
}

func (r *Rules) observe(rd *reading, in Input) *Observation {
	o := &Observation{r: r, rd: rd, in: in, places: map[[2]int][]feature{}}
	o.name = r.companyName(rd, in)
	o.founders = r.founders(rd, in, o.name.value)
	o.source = r.sourceOf(rd)
	o.status = r.statusOf(rd, in.Stages)
	if len(in.Stages) > 0 {
		o.pipeline = r.pipelineOf(in.Stages)
	}
	o.mentions = append(o.mentions, rd.people...)
	for i, d := range in.Documents {
		o.mentions = append(o.mentions, r.deckPeople(d, i+1)...)
	}
	o.names = r.nameCandidates(rd, in)
	o.text = r.textVector(rd, in)
	return o
}

// addRules adds what the rules decided, as features of a name.
func addRules(v *rank.Vector, name, value string, d decision) {
	v.Add(name+" "+value, 1)
	for _, basis := range slices.Sorted(maps.Keys(d.features)) {
		v.Add(name+" by "+basis, d.features[basis])
		v.Add(name+" "+value+" by "+basis, d.features[basis])
	}
}

// Text returns the vector that the kind, the source and the meaning of the text are read off.
func (o *Observation) Text() rank.Vector {
	var v rank.Vector
	v.Join(o.text)
	if o.blind {
		return v
	}
	addRules(&v, "rules' source", o.source.value, o.source)
	concept := ""
	for i, s := range o.pipeline.stages {
		if s.ID == o.status.value {
			concept = o.pipeline.concepts[i]
		}
	}
	addRules(&v, "rules' status", concept, o.status)
	v.Set("rules find founders", len(o.founders) > 0)
	v.Set("rules find no name", o.name.features["unnamed"] > 0)
	return v
}

// Names returns the candidates for the company's name, with their vectors.
func (o *Observation) Names(kinds []float64) ([]string, []rank.Vector) {
	c := o.r.nameContext(o.rd, o.in, o.name, kinds)
	c.blind, c.known = o.blind, o.places
	texts := make([]string, len(o.names))
	if o.bare == nil {
		o.bare = c.vectors(o.names)
	}
	vectors := make([]rank.Vector, len(o.names))
	for i, one := range o.names {
		texts[i] = one.text
		vectors[i] = rank.NewVector(o.bare[i].Len() + 16) // with the kinds
		vectors[i].Join(o.bare[i])
		c.ofKind(&vectors[i], one)
	}
	return texts, vectors
}

// Deal returns the vector that it is read off whether the text is about a deal: the text, what kind it is likely of,
// what it says of a stage, and how sure its best name is.
func (o *Observation) Deal(kinds, meaning, names []float64) rank.Vector {
	v := o.Text()
	for k, p := range kinds {
		v.Add("likely "+kindNames()[k], 2*p)
	}
	v.Add("odds of none", odds(kinds[len(kinds)-1]))
	v.Add("says no stage", 2*meaning[len(meaning)-1])
	v.Add("sure of a name", 2*most(names))
	v.Set("no name", len(names) == 0)
	return v
}

// People returns everybody who may be a founder, with their vectors.
func (o *Observation) People(kinds, meaning []float64, company string) ([]string, []rank.Vector) {
	all := o.r.persons(o.rd, o.names, o.mentions)
	texts := make([]string, len(all))
	for i, p := range all {
		texts[i] = p.text
	}
	return texts, o.personContext(kinds, meaning, company).vectors(all)
}

// Nobody returns the vector of the choice that none of the people is a founder, which stands against all of them.
func (o *Observation) Nobody(kinds, meaning []float64, people int) rank.Vector {
	var v rank.Vector
	v.Add("nobody", 1)
	for k, p := range kinds {
		v.Add("nobody in kind "+kindNames()[k], p)
	}
	for m, p := range meaning {
		v.Add("nobody where the text says "+MeaningNames()[m], p)
	}
	bin(&v, "nobody of", people)
	bin(&v, "nobody in words", len(o.rd.tokens))
	bin(&v, "nobody beside addresses", len(o.rd.address))
	v.Set("nobody in a form", o.rd.isForm())
	v.Set("nobody signs", o.rd.hasKind(bySignature))
	v.Set("nobody writes of themselves", o.rd.hasKind(bySelf))
	v.Set("nobody is a chief", hasChief(o.rd.people))
	v.Set("nobody though a founder speaks", o.rd.founderVoice)
	v.Set("nobody by the rules", len(o.founders) == 0 && !o.blind)
	spoken := spokenOf(o.rd)
	for _, concept := range slices.Sorted(maps.Keys(spoken)) {
		v.Add("nobody though it speaks of "+concept, 1)
	}
	return v
}

func (o *Observation) personContext(kinds, meaning []float64, company string) *personContext {
	c := &personContext{
		nameContext: *o.r.nameContext(o.rd, o.in, o.name, kinds), company: company, meaning: meaning, chosen: o.founders,
	}
	c.blind, c.known = o.blind, o.places
	c.occurred, c.longer = map[string]int{}, map[string]int{}
	return c
}

// StageNames returns the vectors of the account's stages by name and place, and the meanings that the lexicon has for
// them, -1 for none.
func (o *Observation) StageNames(known bool) ([]rank.Vector, []int) {
	vectors, concepts := make([]rank.Vector, 0, len(o.pipeline.stages)), make([]int, 0, len(o.pipeline.stages))
	for i, c := range o.pipeline.concepts {
		vectors = append(vectors, o.pipeline.stageVector(i, known))
		concepts = append(concepts, slices.Index(meanings(), c))
	}
	return vectors, concepts
}

// Stages returns the vectors of the account's stages in their order, and behind them that of none.
func (o *Observation) Stages(kinds, meaning []float64) []rank.Vector {
	c := o.r.stageContext(o.rd, o.pipeline, o.status, kinds, meaning)
	c.blind = o.blind
	return c.vectors()
}

// Allowed returns the probabilities of the stages without those that no weight may choose.
func (o *Observation) Allowed(kinds, meaning, p []float64) []float64 {
	return o.r.stageContext(o.rd, o.pipeline, o.status, kinds, meaning).allowed(slices.Clone(p))
}

// Senses returns the probability of each meaning for each of the account's stages.
func (o *Observation) Senses() [][]float64 { return o.r.senses(o.pipeline) }

// WithModels returns the observation for rules with other models.
func (o *Observation) WithModels(m Models) *Observation {
	other := *o
	other.r = o.r.WithModels(m)
	return &other
}

// StagePhrases returns the words that the lexicon has for stages, as vectors with their meanings.
func (r *Rules) StagePhrases() ([]rank.Vector, []int) {
	var vectors []rank.Vector
	var concepts []int
	for _, l := range loadLines("stages.txt") {
		for m, name := range meanings() {
			if l.sections == name {
				vectors = append(vectors, r.stageNameVector(l.text))
				concepts = append(concepts, m)
			}
		}
	}
	return vectors, concepts
}

// StatusPhrases returns the words that the lexicon has for what happens with deals, as vectors with their meanings.
func (r *Rules) StatusPhrases() ([]rank.Vector, []int) {
	return r.phraseVectors("status.txt", meanings())
}

// SourcePhrases returns the words that it has for how texts come, as vectors with their sources.
func (r *Rules) SourcePhrases() ([]rank.Vector, []int) {
	return r.phraseVectors("source.txt", sourceNames())
}

// phraseVectors returns the phrases of the sections that are called like the classes.
func (r *Rules) phraseVectors(file string, classes []string) ([]rank.Vector, []int) {
	var vectors []rank.Vector
	var numbers []int
	for _, l := range loadLines(file) {
		section, _, _ := strings.Cut(l.sections, " ")
		at := slices.Index(classes, section)
		if at < 0 {
			continue
		}
		text := strings.ReplaceAll(strings.ReplaceAll(l.text, stem, ""), "*", " ")
		var v rank.Vector
		rd := &reading{text: text, body: text, tokens: tokenize(text)}
		rd.conceptHits = r.concepts.find(rd.tokens)
		r.wordFeatures(&v, rd)
		vectors, numbers = append(vectors, v), append(numbers, at)
	}
	return vectors, numbers
}
