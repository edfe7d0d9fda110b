package lessons

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/evidence"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/stage"
	"dealflow/internal/analysis/text"
)

// The most words and senders that cues keep, and the most links of a text that are looked at for domains. Cues keep at
// most mostCueSenders domains.
const (
	mostCueWords   = 40
	mostCueSenders = 8
	mostCueLinks   = 40
)

// Judgement is an input, its parsed text, and those decisions of the rules on it that the cues use.
type Judgement struct {
	Rd             *text.Text
	In             analysis.Input
	Status, Source evidence.Decision
}

// cues returns the cues of an input, by which later texts are compared with it. f has the rules' findings before any
// lesson is applied. cues leaves out senders who are also recipients of a mail of the text, and links beyond the first
// mostCueLinks.
func (r *Learner) cues(o Judgement, f analysis.Findings) analysis.Cues {
	rd, in := o.Rd, o.In
	c := analysis.Cues{Source: f.Source, RulesStatus: f.StatusID, RulesSource: f.Source, Words: cueWords(rd)}
	c.Meaning, c.Phrase = r.meaningOf(o, f)
	c.Channel = o.Source.Channel
	for _, a := range rd.Addresses {
		local, host, _ := strings.Cut(strings.ToLower(a.Email), "@")
		if rd.IsRecipient(a.Email) || len(c.Senders) == mostCueSenders || local == "" {
			continue
		}
		c.Senders = lexicon.AppendNew(c.Senders, lexicon.Cut(strings.ToLower(a.Email), analysis.LongestCue))
		if domain := links.Registered(host); domain != "" && !r.text.IsFreeMail(host) {
			c.Domains = lexicon.AppendNew(c.Domains, domain)
		}
	}
	for _, link := range in.Links[:min(len(in.Links), mostCueLinks)] {
		host, _ := links.SplitLink(link)
		if domain := links.Registered(host); domain != "" && len(c.Domains) < mostCueSenders &&
			links.LinkedInSlug(link) == "" &&
			r.picker.IsOwnPage(link) {
			c.Domains = lexicon.AppendNew(c.Domains, domain)
		}
	}
	return c
}

// meaningOf returns what the text says about the deal's stage, and the words that say so. Both are "" if no status was
// requested, or if the account has no stages. The words are "" for a first contact, an update, and a text that mentions
// no stage.
func (r *Learner) meaningOf(o Judgement, f analysis.Findings) (meaning, phrase string) {
	if !o.In.DetectStatus || len(o.In.Stages) == 0 {
		return "", ""
	}
	if f.StatusID == "" && stage.IsUpdate(o.Rd, r.stage) {
		return "update", ""
	}
	p := r.stage.PipelineOf(o.In.Stages)
	if p.Intake >= 0 && p.Stages[p.Intake].ID == f.StatusID || f.StatusID == "" && o.Status.Meaning == "" {
		return lexicon.ConceptIntake, ""
	}
	if o.Status.Meaning == "" {
		return "none", ""
	}
	return o.Status.Meaning, o.Status.Phrase
}

// cueWords returns the first mostCueWords different words of a text that may distinguish it from others. It skips words
// in ASCII of fewer than four letters, and words of more than 24.
func cueWords(rd *text.Text) []string {
	var words []string
	seen := map[string]bool{}
	for _, t := range rd.Tokens {
		if len(words) == mostCueWords {
			break
		}
		n := utf8.RuneCountInString(t.Folded)
		if seen[t.Folded] || n < 4 && n == len(t.Folded) || n > 24 {
			continue
		}
		seen[t.Folded] = true
		words = append(words, t.Folded)
	}
	return words
}

// likeness returns how similar two texts are by their cues, from 0 to 3: 2 for a common sender, else 1.5 for a common
// domain, and the share of their words that both have, up to 1.
func likeness(c analysis.Cues, other analysis.Cues) float64 {
	score := 0.0
	switch {
	case shares(c.Senders, other.Senders):
		score = 2
	case shares(c.Domains, other.Domains):
		score = 1.5
	}
	common := 0
	for _, w := range c.Words {
		if slices.Contains(other.Words, w) {
			common++
		}
	}
	if all := len(c.Words) + len(other.Words) - common; all > 0 {
		score += float64(common) / float64(all)
	}
	return score
}

func shares(a, b []string) bool {
	return slices.ContainsFunc(a, func(one string) bool { return slices.Contains(b, one) })
}

// The bounds of the examples that are sent to a model: how many, how long, and how similar to the input, as likeness
// measures it from 0 to 3.
const (
	mostExamples   = 5
	longestExample = 240 // characters of the excerpt
	leastLikeness  = 0.02
)

// example is a correction, with a score for the similarity of its text to the input; see exampleOf.
type example struct {
	ModelCorrection

	score float64
}

// Examples returns the corrections whose texts are most similar to the input, the most similar first, at most five. One
// of the same meaning for the stage, or of the same source, counts as more similar. Examples leaves out lessons in
// which nobody changed anything, corrections of texts that have hardly anything in common with the input, and those of
// stages that the account no longer has. hints are the rules' findings on the input, with its cues. Sentences that
// instruct software are blanked out of the excerpts. The list is never nil.
func Examples(in analysis.Input, hints analysis.Findings, g text.Guard) []ModelCorrection {
	var all []example
	for _, l := range in.Lessons {
		if l.Kept {
			continue
		}
		if e, known := exampleOf(l, in, hints.Cues); known && e.score >= leastLikeness {
			excerpt := g.WithoutInstructions(l.Excerpt)
			e.Excerpt = lexicon.Cut(strings.Join(strings.Fields(excerpt), " "), longestExample)
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b example) int { return cmp.Compare(b.score, a.score) })
	list := []ModelCorrection{}
	for _, e := range all[:min(len(all), mostExamples)] {
		list = append(list, e.ModelCorrection)
	}
	return list
}

// exampleOf returns a lesson as an example, without an excerpt. Its score is the likeness of the texts, plus 0.5 for
// the same meaning or the same source, if the lesson is of the stage or the source. exampleOf reports false if the
// lesson names a stage that the account no longer has.
func exampleOf(l analysis.Lesson, in analysis.Input, cues analysis.Cues) (example, bool) {
	e := example{ModelCorrection{Field: l.Field, Found: l.Detected, Chosen: l.Chosen}, likeness(cues, l.Cues)}
	const sameJudgement = 0.5
	switch l.Field {
	case analysis.FieldStatus:
		var before, now bool
		e.Found, before = nameOfStage(in, l.Detected)
		e.Chosen, now = nameOfStage(in, l.Chosen)
		if l.Cues.Meaning == cues.Meaning {
			e.score += sameJudgement
		}
		return e, before && now
	case analysis.FieldFounders:
		e.Found, e.Chosen = listed(l.Before), listed(l.After)
	case analysis.FieldSource:
		if l.Cues.Source == cues.Source {
			e.score += sameJudgement
		}
	}
	return e, true
}

// nameOfStage returns the name of a stage, and reports whether the account still has it. The id "", for no stage, is
// always known.
func nameOfStage(in analysis.Input, id string) (name string, known bool) {
	for _, s := range in.Stages {
		if s.ID == id {
			return s.Name, true
		}
	}
	return "", id == ""
}

func listed(people []analysis.Founder) string {
	var all []string
	for _, f := range people {
		all = append(all, strings.TrimSpace(f.Name+" <"+f.Email+">"))
	}
	return lexicon.Cut(strings.Join(all, ", "), longestExample)
}

// ModelCorrection is a correction by this team as it is shown to a model. Found is what an analysis had found and
// Chosen what people made of it: a name, a source, the name of a stage, or a list of founders; "" for none. Excerpt is
// the beginning of the text.
type ModelCorrection struct {
	Field   string `json:"field"`
	Excerpt string `json:"excerpt"`
	Found   string `json:"found"`
	Chosen  string `json:"chosen"`
}
