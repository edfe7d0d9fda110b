package rules

import (
	"maps"
	"slices"
	"strings"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/evidence"
	"dealflow/internal/analysis/founders"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/naming"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/rank"
	"dealflow/internal/analysis/source"
	"dealflow/internal/analysis/stage"
	"dealflow/internal/analysis/text"
)

// Observation is a text as the rules and the models see it: the decisions of the rules on it, and the features that the
// models weigh. Training takes its examples from it, and an analysis its decisions. It must not be used by several
// goroutines at once.
type Observation struct {
	r  *Rules
	rd *naming.Subject
	in analysis.Input

	name, status, source evidence.Decision // of the rules
	founders             []founders.Found
	mentions             []people.Mention
	pipeline             stage.Pipeline
	names                []*naming.Candidate
	text                 rank.Vector
	blind                bool                // without the decisions of the rules
	pruned               []*naming.Candidate // the names that may be the company's; nil until Names is called
	bare                 []rank.Vector       // of these, without the kind of text
	occurrences          naming.Occurrences
	persons              []*founders.Person // who may be a founder; nil until likely is called
	named                int                // how many people the text names
}

// Blind returns a copy of the observation without the decisions of the rules. It shares data with o: the two must not
// be used at the same time. It is for texts with which the rules were developed: since the rules are right more often
// there than elsewhere, a model would learn to trust them too much.
func (o *Observation) Blind() *Observation {
	other := *o
	other.blind = true
	other.name, other.status, other.source, other.founders = evidence.Decision{}, evidence.Decision{}, evidence.Decision{},
		nil
	return &other
}

// Observe reads an input and returns the Observation for the models.
func (r *Rules) Observe(in analysis.Input) *Observation {
	in.Text = r.guard.OfRead(in.Text)
	_, in.Documents = r.deck.DeckAmong(in)
	return r.observe(r.understand(in), in)
}

func (r *Rules) observe(rd *naming.Subject, in analysis.Input) *Observation {
	o := &Observation{r: r, rd: rd, in: in, occurrences: naming.NewOccurrences(rd)}
	o.name = r.naming.CompanyName(rd, in)
	o.founders = r.founders.Founders(rd, in, o.name.Value)
	o.source = r.source.SourceOf(rd.Scene)
	o.status = r.stage.StatusOf(rd.Scene, in.Stages)
	if len(in.Stages) > 0 {
		o.pipeline = r.stage.PipelineOf(in.Stages)
	}
	o.mentions = append(o.mentions, rd.Mentions...)
	for i, d := range in.Documents {
		o.mentions = append(o.mentions, r.people.DeckPeople(d, i+1)...)
	}
	o.names = r.naming.Candidates(rd, in)
	o.text = r.textVector(rd.Scene, in)
	return o
}

// addRules adds a decision of the rules, as features whose names begin with name: for value, which is what was decided,
// and for the features of d.
func addRules(v *rank.Vector, name, value string, d evidence.Decision) {
	v.Add(name+" "+value, 1)
	for _, basis := range slices.Sorted(maps.Keys(d.Features)) {
		v.Add(name+" by "+basis, d.Features[basis])
		v.Add(name+" "+value+" by "+basis, d.Features[basis])
	}
}

// Text returns the vector from which the kind, the source and the meaning of the text are classified.
func (o *Observation) Text() rank.Vector {
	var v rank.Vector
	v.Join(o.text)
	if o.blind {
		return v
	}
	addRules(&v, "rules' source", o.source.Value, o.source)
	concept := ""
	for i, s := range o.pipeline.Stages {
		if s.ID == o.status.Value {
			concept = o.pipeline.Concepts[i]
		}
	}
	addRules(&v, "rules' status", concept, o.status)
	v.Set("rules find founders", len(o.founders) > 0)
	v.Set("rules find no name", o.name.Features["unnamed"] > 0)
	return v
}

// Names returns the candidates that may be the company's name, with their vectors; others are left out: see
// rank.Model.Prune. kinds has the probability of each kind of text.
func (o *Observation) Names(kinds []float64) ([]string, []rank.Vector) {
	c := o.nameContext(kinds)
	if o.pruned == nil {
		o.pruned = pruned(o.r.models[rank.PruneNames], o.names, c.PruningVectors)
	}
	if o.bare == nil {
		var vectors []rank.Vector
		vectors, o.bare = c.Vectors(o.names, o.pruned)
		return textsOf(o.pruned), vectors
	}
	vectors := make([]rank.Vector, len(o.pruned))
	for i, one := range o.pruned {
		vectors[i].Join(o.bare[i])
		c.OfKind(&vectors[i], one)
	}
	return textsOf(o.pruned), vectors
}

// AllNames returns all candidates for the company's name, with the vectors by which they are pruned.
func (o *Observation) AllNames() ([]string, []rank.Vector) {
	return textsOf(o.names), o.nameContext(nil).PruningVectors(o.names)
}

func (o *Observation) nameContext(kinds []float64) *naming.Context {
	c := o.r.naming.NewContext(o.rd, o.in, o.name, kinds)
	c.Blind, c.Known = o.blind, o.occurrences
	return c
}

// pruned returns what the model keeps of all, by the vectors of each. It returns all if model is nil.
func pruned[T any](model *rank.Model, all []T, vectors func([]T) []rank.Vector) []T {
	if model == nil {
		return all
	}
	var kept []T
	for _, i := range model.Prune(vectors(all)) {
		kept = append(kept, all[i])
	}
	return kept
}

func textsOf(names []*naming.Candidate) []string {
	texts := make([]string, len(names))
	for i, one := range names {
		texts[i] = one.Text
	}
	return texts
}

// Deal returns the vector from which a model judges whether the text is about a deal: the text, its likely kind, what
// it says about a stage, and how sure its best name is. kinds, meaning and names are the probabilities of the kinds and
// meanings of the text, and of the candidates for its name; only names may be empty.
func (o *Observation) Deal(kinds, meaning, names []float64) rank.Vector {
	v := o.Text()
	for k, p := range kinds {
		v.Add("likely "+rank.KindNames()[k], 2*p)
	}
	v.Add("odds of none", rank.Odds(kinds[len(kinds)-1]))
	v.Add("says no stage", 2*meaning[len(meaning)-1])
	v.Add("sure of a name", 2*rank.Most(names))
	v.Set("no name", len(names) == 0)
	return v
}

// People returns everybody who may be a founder, with their vectors; others are left out: see rank.Model.Prune. kinds
// and meaning are the probabilities of each kind and meaning of the text, and company is the company's name.
func (o *Observation) People(kinds, meaning []float64, company string) ([]string, []rank.Vector) {
	people, _ := o.likely()
	return textsOfPeople(people), o.personContext(kinds, meaning, company).Vectors(people)
}

// Companions returns further features of the people that People returns: see founders.CompanionVectors, also for first.
func (o *Observation) Companions(first []float64) []rank.Vector {
	people, _ := o.likely()
	return founders.CompanionVectors(o.rd, people, first)
}

// AllPeople returns all people whom the text names, with the vectors by which they are pruned.
func (o *Observation) AllPeople() ([]string, []rank.Vector) {
	all := o.r.founders.Persons(o.rd, o.names, o.mentions)
	return textsOfPeople(all), o.r.founders.PruningVectors(o.rd, all, o.founders)
}

// likely returns everybody who may be a founder, and the number of people whom the text names.
func (o *Observation) likely() (kept []*founders.Person, named int) {
	if o.persons == nil {
		all := o.r.founders.Persons(o.rd, o.names, o.mentions)
		o.named = len(all)
		o.persons = pruned(o.r.models[rank.PrunePeople], all, func(all []*founders.Person) []rank.Vector {
			return o.r.founders.PruningVectors(o.rd, all, o.founders)
		})
	}
	return o.persons, o.named
}

func textsOfPeople(all []*founders.Person) []string {
	texts := make([]string, len(all))
	for i, p := range all {
		texts[i] = p.Text
	}
	return texts
}

// Nobody returns the vector of the choice that none of the people is a founder, which competes with all of them. kinds
// and meaning are those of People, and persons is the number of people whom the text names.
func (o *Observation) Nobody(kinds, meaning []float64, persons int) rank.Vector {
	var v rank.Vector
	v.Add("nobody", 1)
	for k, p := range kinds {
		v.Add("nobody in kind "+rank.KindNames()[k], p)
	}
	meanings := rank.MeaningNames()
	for m, p := range meaning {
		v.AddKey(rank.NewKey("nobody where the text says ").Append(meanings[m]), p)
	}
	rank.Bin(&v, "nobody of", persons)
	rank.Bin(&v, "nobody in words", len(o.rd.Tokens))
	rank.Bin(&v, "nobody beside addresses", len(o.rd.Addresses))
	v.Set("nobody in a form", o.rd.IsForm())
	v.Set("nobody signs", o.rd.HasKind(people.BySignature))
	v.Set("nobody writes of themselves", o.rd.HasKind(people.BySelf))
	v.Set("nobody is a chief", people.HasChief(o.rd.Mentions))
	v.Set("nobody though a founder speaks", o.rd.FounderVoice)
	v.Set("nobody by the rules", len(o.founders) == 0 && !o.blind)
	spoken := text.SpokenOf(o.rd.Text)
	for _, concept := range slices.Sorted(maps.Keys(spoken)) {
		v.Add("nobody though it speaks of "+concept, 1)
	}
	return v
}

func (o *Observation) personContext(kinds, meaning []float64, company string) *founders.Context {
	return o.r.founders.NewContext(o.nameContext(kinds), meaning, company, o.founders)
}

// StageNames returns, for each stage of the account, the vector of its name and position, and the index in
// lexicon.Meanings of the meaning that the lexicon has for the name, -1 for none. If known is true, that meaning is
// part of the vector.
func (o *Observation) StageNames(known bool) ([]rank.Vector, []int) {
	vectors, concepts := make([]rank.Vector, 0, len(o.pipeline.Stages)), make([]int, 0, len(o.pipeline.Stages))
	for i, c := range o.pipeline.Concepts {
		vectors = append(vectors, o.pipeline.StageVector(i, known))
		concepts = append(concepts, slices.Index(lexicon.Meanings(), c))
	}
	return vectors, concepts
}

// Stages returns the vectors of the account's stages in their order, followed by the vector of the choice that the deal
// is in none. The account must have a stage.
func (o *Observation) Stages(likely stage.Likely) []rank.Vector {
	c := o.r.stage.NewContext(o.rd.Scene, o.pipeline, o.status, likely)
	c.Blind = o.blind
	return c.Vectors()
}

// Allowed returns the probabilities p of the stages after stage.Context.Allowed has set those to 0 that the text
// excludes. It does not change p.
func (o *Observation) Allowed(likely stage.Likely, p []float64) []float64 {
	return o.r.stage.NewContext(o.rd.Scene, o.pipeline, o.status, likely).Allowed(slices.Clone(p))
}

// Senses returns, for each of the account's stages, the probability of each meaning, in the order of
// rank.StageMeaningNames. The rules must have the models rank.StageName and rank.StageOrder.
func (o *Observation) Senses() [][]float64 { return o.r.stage.Senses(o.pipeline) }

// WithModels returns a copy of the observation for rules with other models. It shares data with o: the two must not be
// used at the same time.
func (o *Observation) WithModels(m rank.Models) *Observation {
	other := *o
	other.r, other.pruned, other.bare, other.persons = o.r.WithModels(m), nil, nil, nil
	return &other
}

// StagePhrases returns the words that the lexicon has for stages, as vectors, and for each of them the index of its
// meaning in lexicon.Meanings.
func (r *Rules) StagePhrases() ([]rank.Vector, []int) {
	var vectors []rank.Vector
	var concepts []int
	for _, l := range lexicon.Lines("stage_names.txt") {
		for m, name := range lexicon.Meanings() {
			if l.Sections == name {
				vectors = append(vectors, r.stage.StageNameVector(l.Text))
				concepts = append(concepts, m)
			}
		}
	}
	return vectors, concepts
}

// StatusPhrases returns the words that the lexicon has for events of a deal, as vectors, and for each of them the index
// of its meaning in lexicon.Meanings.
func (r *Rules) StatusPhrases() ([]rank.Vector, []int) {
	return r.phraseVectors("stage_phrases.txt", lexicon.Meanings())
}

// SourcePhrases returns the words that the lexicon has for how a text arrived, as vectors, and for each of them the
// index of its source in source.Names.
func (r *Rules) SourcePhrases() ([]rank.Vector, []int) {
	return r.phraseVectors("source.txt", source.Names())
}

// phraseVectors returns a vector for each phrase of the file whose first section is one of classes, and for each of
// them the index of that class.
func (r *Rules) phraseVectors(file string, classes []string) ([]rank.Vector, []int) {
	var vectors []rank.Vector
	var numbers []int
	for _, l := range lexicon.Lines(file) {
		section, _, _ := strings.Cut(l.Sections, " ")
		at := slices.Index(classes, section)
		if at < 0 {
			continue
		}
		content := strings.ReplaceAll(strings.ReplaceAll(l.Text, lexicon.Stem, ""), "*", " ")
		var v rank.Vector
		rd := text.Bare(content)
		rd.ConceptHits = r.words.Concepts.Find(rd.Tokens)
		r.wordFeatures(&v, rd)
		vectors, numbers = append(vectors, v), append(numbers, at)
	}
	return vectors, numbers
}
