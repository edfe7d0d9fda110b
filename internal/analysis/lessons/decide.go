package lessons

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/naming"
	"dealflow/internal/analysis/source"
)

// The fewest corrections that decide, by what their texts have in common with this one. One correction is enough for a
// text by the same sender. Something that many texts have in common needs more.
const (
	leastSameSender  = 1
	leastSamePhrase  = 2
	leastSameDomain  = 2
	leastSameMeaning = 2 // of a meaning that the text puts into words
	leastSameKind    = 3 // first contacts, or all texts of one source
)

// Corrections that contradict each other decide only if one choice has leastShare of the weight. Each correction weighs
// a fifth less than the next newer one, and half as much after half a year.
const (
	leastShare = 0.6
	fadeByRank = 0.8
	halfLife   = 180 * 24 * time.Hour
)

// Learned returns the rules' findings after the account's corrections were applied, which is done only if enough
// corrections are of texts similar to this one. It always sets the cues, by which later texts are compared with this
// one. It changes the status and the source only if they were requested. It does not write into the slices of f.
func (r *Learner) Learned(o Judgement, f analysis.Findings) analysis.Findings {
	in := o.In
	f.Cues = r.cues(o, f)
	if len(in.Lessons) == 0 {
		return f
	}
	if in.DetectStatus {
		f = r.learnedStatus(f, in)
	}
	if in.DetectSource {
		f = learnedSource(f, in)
	}
	return r.learnedPeople(learnedName(f, in), in, lexicon.Fold(o.Rd.Plain))
}

// Relearned returns a model's findings after the account's corrections were applied. f.Cues must be those that Learned
// set. The corrections are always applied to the founders and the company's name, but to the stage and the source only
// if these were requested and the model chose what the rules chose before corrections.
func (r *Learner) Relearned(f analysis.Findings, in analysis.Input) analysis.Findings {
	if len(in.Lessons) == 0 {
		return f
	}
	if in.DetectStatus && f.StatusID == f.Cues.RulesStatus {
		f = r.learnedStatus(f, in)
	}
	if in.DetectSource && f.Source == f.Cues.RulesSource {
		f = learnedSource(f, in)
	}
	return r.learnedPeople(learnedName(f, in), in, lexicon.Fold(in.Text))
}

// verdict is the value to which the matching lessons of a field give the most weight: how many of them chose it, how
// many match at all, and its share of the weight.
type verdict struct {
	chosen   string
	wins, of int
	share    float64
}

// vote returns the verdict of those lessons of a field for which matches returns true. It reports whether the verdict
// decides: whether the number of lessons that chose the value is not below least, and its share of the weight not below
// leastShare.
func vote(in analysis.Input, field string, least int, matches func(analysis.Lesson) bool) (verdict, bool) {
	weights, counts := map[string]float64{}, map[string]int{}
	v, all, rank := verdict{}, 0.0, 1.0
	for _, l := range in.Lessons {
		if l.Field != field || !matches(l) {
			continue
		}
		weight := rank * fade(in.ReferenceTime, l.At)
		rank *= fadeByRank
		weights[l.Chosen] += weight
		counts[l.Chosen]++
		all += weight
		v.of++
	}
	best := 0.0
	for chosen, weight := range weights {
		if weight > best || weight == best && chosen < v.chosen {
			best, v.chosen = weight, chosen
		}
	}
	if all == 0 {
		return v, false
	}
	v.wins, v.share = counts[v.chosen], best/all
	return v, v.wins >= least && v.share >= leastShare
}

func fade(now, at time.Time) float64 {
	if now.IsZero() || !at.Before(now) {
		return 1
	}
	return math.Pow(0.5, float64(now.Sub(at))/float64(halfLife))
}

// sure returns the confidence in the choice: the number of lessons that chose it, divided by one more than the number
// of lessons that match.
func (v verdict) sure() float64 {
	return math.Round(100*float64(v.wins)/float64(v.of+1)) / 100
}

// level is one way in which texts can be similar, and the number of corrections of such texts that decide.
type level struct {
	least   int
	what    string // "messages from ann@acme.io"
	matches func(analysis.Lesson) bool
}

func decideBy(in analysis.Input, field string, levels []level) (verdict, string, bool) {
	for _, l := range levels {
		if v, ok := vote(in, field, l.least, l.matches); ok {
			return v, l.what, true
		}
	}
	return verdict{}, "", false
}

// learnedStatus returns f with the stage that people chose for earlier texts in which the rules had read the same
// meaning. It returns f unchanged if too few chose one stage, if their choices contradict each other, or if f has that
// stage already.
func (r *Learner) learnedStatus(f analysis.Findings, in analysis.Input) analysis.Findings {
	c := f.Cues
	of := func(l analysis.Lesson) bool { return l.Cues.Meaning == c.Meaning && r.mayBe(in, c, l) }
	var levels []level
	least, what := leastSameKind, "first contacts"
	switch {
	case c.Phrase != "":
		least, what = leastSameMeaning, "texts about “"+c.Meaning+"”"
		levels = append(levels, level{
			leastSamePhrase, "texts that say “" + c.Phrase + "”", func(l analysis.Lesson) bool {
				return of(l) && l.Cues.Phrase == c.Phrase
			},
		})
	case c.Meaning != lexicon.ConceptIntake:
		what = "texts that name no stage"
	}
	levels = append(
		levels,
		level{leastSameKind, what + " that came by " + c.Source, func(l analysis.Lesson) bool {
			return of(l) && c.Source != "" && l.Cues.Source == c.Source
		}},
		level{least, what, of},
	)
	v, what, ok := decideBy(in, analysis.FieldStatus, levels)
	if !ok || v.chosen == f.StatusID {
		return f
	}
	name, _ := nameOfStage(in, v.chosen)
	f.StatusReasoning = withLesson(fmt.Sprintf("This team moved %d of %d such %s to “%s”.", v.wins, v.of, what, name),
		f.StatusReasoning)
	f.StatusID = v.chosen
	return shown(f, analysis.FieldStatus, v.chosen, v.sure())
}

// mayBe reports whether a lesson's stage may be set. The stage must still exist. A stage that ends a deal may be set
// only if the text mentions an end, or if it has the phrase of the lesson: that somebody rejected a first contact was
// their decision, and not a mistake of the rules.
func (r *Learner) mayBe(in analysis.Input, c analysis.Cues, l analysis.Lesson) bool {
	name, known := nameOfStage(in, l.Chosen)
	if l.Chosen == "" || !known {
		return false
	}
	return c.Meaning == lexicon.ConceptWon || c.Meaning == lexicon.ConceptLost || !r.stage.IsClosing(name) ||
		c.Phrase != "" && l.Cues.Phrase == c.Phrase
}

// learnedSource returns f with the source that people chose for texts of the same sender, the same domain, the same
// words for the source, or the same source: the first of these that enough corrections have in common decides. If none
// does, or if the choice is no known source, it returns f unchanged.
func learnedSource(f analysis.Findings, in analysis.Input) analysis.Findings {
	c := f.Cues
	same := func(l analysis.Lesson) bool { return l.Cues.Source == c.Source && l.Cues.Channel == c.Channel }
	levels := []level{
		{
			leastSameSender, "messages from the same sender",
			func(l analysis.Lesson) bool { return shares(l.Cues.Senders, c.Senders) },
		},
		{
			leastSameDomain, "messages from the same domain",
			func(l analysis.Lesson) bool { return shares(l.Cues.Domains, c.Domains) },
		},
	}
	if c.Channel != "" {
		levels = append(levels, level{leastSamePhrase, "texts that say “" + c.Channel + "”", same})
	}
	levels = append(levels, level{
		leastSameKind, "texts that came by " + c.Source, func(l analysis.Lesson) bool {
			return c.Source != "" && l.Cues.Source == c.Source
		},
	})
	v, what, ok := decideBy(in, analysis.FieldSource, levels)
	if !ok || v.chosen == f.Source || !slices.Contains(source.Sources(), v.chosen) {
		return f
	}
	lesson := fmt.Sprintf("This team set the source of %d of %d %s to “%s”.", v.wins, v.of, what, v.chosen)
	f.SourceReasoning = withLesson(lesson, f.SourceReasoning)
	f.Source = v.chosen
	return shown(f, analysis.FieldSource, v.chosen, v.sure())
}

// withLesson returns the reasoning with the lesson before it, unless it begins with the lesson already.
func withLesson(lesson, reasoning string) string {
	if strings.HasPrefix(reasoning, lesson) {
		return reasoning
	}
	return lesson + " Without that: " + reasoning
}

// shown returns f with the value and the confidence of a field's evidence set to those of the corrections. The evidence
// keeps its quote; if there is none, it is added without a quote. The field is removed from NeedsReview.
func shown(f analysis.Findings, field, value string, confidence float64) analysis.Findings {
	all := slices.Clone(f.Evidence)
	at := slices.IndexFunc(all, func(e analysis.Evidence) bool { return e.Field == field })
	if at < 0 {
		at = len(all)
		all = append(all, analysis.Evidence{Field: field})
	}
	all[at].Value, all[at].Confidence, all[at].Analyzer = value, confidence, analysis.CorrectionsName
	f.Evidence = all
	f.NeedsReview = slices.DeleteFunc(slices.Clone(f.NeedsReview), func(n string) bool { return n == field })
	return f
}

// learnedName returns f with the name that people gave to a company in an earlier text with a domain of this one; the
// newest such lesson decides. That company must have been found under the name that is found now, have that name now,
// or own the domain. If there is none, learnedName removes an ending that people removed from other names.
func learnedName(f analysis.Findings, in analysis.Input) analysis.Findings {
	for _, l := range in.Lessons {
		if l.Field != analysis.FieldName || l.Chosen == "" || !shares(l.Cues.Domains, f.Cues.Domains) {
			continue
		}
		if found := lexicon.Squeeze(f.Name); found == lexicon.Squeeze(l.Detected) || found == lexicon.Squeeze(l.Chosen) ||
			ownsDomain(l, f.Cues) {
			return named(f, l.Chosen,
				fmt.Sprintf("This team calls the company at %s “%s”.", firstShared(l.Cues.Domains, f.Cues.Domains), l.Chosen))
		}
	}
	if name, habit := habitual(f.Name, in); name != f.Name {
		return named(f, name, habit)
	}
	return f
}

func named(f analysis.Findings, name, why string) analysis.Findings {
	name = naming.LimitName(name)
	if name == "" || f.Name == name {
		return f
	}
	f.Name = name
	if !slices.Contains(f.Remarks, why) {
		f.Remarks = append(slices.Clone(f.Remarks), why)
	}
	return shown(f, analysis.FieldName, name, 0.9)
}

// ownsDomain reports whether the domain that the lesson and the cues have in common is the company's own: it is derived
// from the name that people chose, or from the one that was found.
func ownsDomain(l analysis.Lesson, c analysis.Cues) bool {
	label := links.DomainLabel(firstShared(l.Cues.Domains, c.Domains))
	for _, name := range []string{l.Chosen, l.Detected} {
		key := lexicon.Squeeze(name)
		if len(label) > 3 && key != "" && (strings.HasPrefix(key, label) || len(key) > 3 && strings.HasPrefix(label, key)) {
			return true
		}
	}
	return false
}

func firstShared(a, b []string) string {
	for _, one := range a {
		if slices.Contains(b, one) {
			return one
		}
	}
	return ""
}

// habitual returns a name without an ending, such as "GmbH", that people removed from at least two other names and
// added to fewer, and a sentence that says so. If there is no such ending, it returns the name unchanged, and "".
func habitual(name string, in analysis.Input) (changed, why string) {
	off, on := map[string]int{}, map[string]int{}
	for _, l := range in.Lessons {
		if l.Field != analysis.FieldName {
			continue
		}
		if end, cut := strings.CutPrefix(l.Detected, l.Chosen+" "); cut {
			off[lexicon.Fold(end)]++
		}
		if end, cut := strings.CutPrefix(l.Chosen, l.Detected+" "); cut {
			on[lexicon.Fold(end)]++
		}
	}
	for i := 1; i < len(name); i++ {
		if name[i] != ' ' {
			continue
		}
		if end := name[i+1:]; off[lexicon.Fold(end)] >= leastSamePhrase && off[lexicon.Fold(end)] > on[lexicon.Fold(end)] {
			return name[:i], fmt.Sprintf("This team removed “%s” from %d names.", end, off[lexicon.Fold(end)])
		}
	}
	return name, ""
}
