package analysis

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// correctionsName is what Evidence.Analyzer says of a value that the account's own corrections decided.
const correctionsName = "corrections"

// Lesson is what became of one field of an earlier analysis: somebody of the account changed it, or let it stand.
type Lesson struct {
	Field            string // FieldName, FieldStatus, FieldSource or FieldFounders
	Detected, Chosen string // what was found and what stands now; of a status the stage's ID, "" for none
	Before, After    []Founder
	Kept             bool // nobody changed it, though there was time to

	Cues    Cues
	Company string // as it is called now
	Excerpt string // how the text began
	At      time.Time
}

// Cues are what a text tells by which it can be likened to others: what it says of the deal's stage and how it came, by
// the rules' own judgement, who sent it, and some of its words.
type Cues struct {
	Meaning string   `json:"meaning"` // of what it says of the stage: "intake", "meeting" and so on; "update"; "none"
	Phrase  string   `json:"phrase"`  // that says so, folded; "" for a first contact
	Source  string   `json:"source"`
	Channel string   `json:"channel"` // the words that tell the source, folded; "" where its form does
	Senders []string `json:"senders"` // addresses, but not those that it was sent to
	Domains []string `json:"domains"` // of these and of links, but not of mail providers and platforms
	Words   []string `json:"words"`

	status, origin string // what the rules decided before any lesson
}

// The bounds of what is kept of a text.
const (
	mostCueWords   = 40
	mostCueSenders = 8
	longestCue     = 120 // characters
)

// cues reads them off what the rules made of an input.
func (r *Rules) cues(o outcome, f Findings) Cues {
	rd, in := o.rd, o.in
	c := Cues{Source: f.Source, status: f.StatusID, origin: f.Source, Words: cueWords(rd)}
	c.Meaning, c.Phrase = r.meaningOf(o, f)
	c.Channel = o.source.channel
	for _, a := range rd.address {
		local, host, _ := strings.Cut(strings.ToLower(a.email), "@")
		if rd.isRecipient(a.email) || len(c.Senders) == mostCueSenders || local == "" {
			continue
		}
		c.Senders = appendNew(c.Senders, cut(strings.ToLower(a.email), longestCue))
		if domain := registered(host); domain != "" && !r.isFreeMail(host) {
			c.Domains = appendNew(c.Domains, domain)
		}
	}
	for _, link := range in.Links[:min(len(in.Links), mostLinks)] {
		host, _ := splitLink(link)
		if domain := registered(host); domain != "" && len(c.Domains) < mostCueSenders && linkedInSlug(link) == "" &&
			r.isOwnPage(link) {
			c.Domains = appendNew(c.Domains, domain)
		}
	}
	return c
}

func appendNew(all []string, one string) []string {
	if slices.Contains(all, one) {
		return all
	}
	return append(all, one)
}

// registered returns the domain that somebody owns: "acme.io" of "mail.acme.io".
func registered(host string) string {
	host = strings.ToLower(strings.Trim(host, ". "))
	label := domainLabel(host)
	if label == "" {
		return ""
	}
	parts := strings.Split(host, ".")
	for i, part := range slices.Backward(parts) {
		if strings.ReplaceAll(part, "-", "") == label {
			return cut(strings.Join(parts[i:], "."), longestCue)
		}
	}
	return cut(host, longestCue)
}

// meaningOf returns what the text says of the stage, and the words that say so.
func (r *Rules) meaningOf(o outcome, f Findings) (meaning, phrase string) {
	if !o.in.DetectStatus || len(o.in.Stages) == 0 {
		return "", ""
	}
	if f.StatusID == "" && o.rd.isUpdate(r) {
		return "update", ""
	}
	p := r.pipelineOf(o.in.Stages)
	if p.intake >= 0 && p.stages[p.intake].ID == f.StatusID || f.StatusID == "" && o.status.meaning == "" {
		return conceptIntake, ""
	}
	if o.status.meaning == "" {
		return "none", ""
	}
	return o.status.meaning, o.status.phrase
}

// conceptIn returns the meaning of the longest phrase of a quote, and the phrase.
func (r *Rules) conceptIn(quote string) (meaning, phrase string) {
	tokens := tokenize(quote)
	best := hit{}
	for _, h := range r.status.find(tokens) {
		if isConcept(h.section) && h.words > best.words {
			best = h
		}
	}
	for _, h := range r.stages.find(tokens) {
		if h.words > best.words {
			best = h
		}
	}
	if best.words == 0 {
		return "none", cut(wordKey(quote), longestCue)
	}
	return best.section, cut(foldedWords(tokens[best.first:best.last]), longestCue)
}

// channelIn returns the longest phrase of a quote that tells how the text came.
func (r *Rules) channelIn(quote string) string {
	tokens := tokenize(quote)
	best := hit{}
	for _, h := range r.source.find(tokens) {
		switch h.section {
		case "website", "event", "event_word", "event_name", "referral", "other", "manual", "email", "outreach":
			if h.words > best.words {
				best = h
			}
		}
	}
	return cut(foldedWords(tokens[best.first:best.last]), longestCue)
}

func foldedWords(tokens []token) string {
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = t.folded
	}
	return strings.Join(words, " ")
}

// cueWords returns the first words of a text that may tell it from others.
func cueWords(rd *reading) []string {
	var words []string
	seen := map[string]bool{}
	for _, t := range rd.tokens {
		if len(words) == mostCueWords {
			break
		}
		n := utf8.RuneCountInString(t.folded)
		if seen[t.folded] || n < 4 && n == len(t.folded) || n > 24 {
			continue
		}
		seen[t.folded] = true
		words = append(words, t.folded)
	}
	return words
}

// likeness tells how near two texts are, from 0 on: a shared sender counts more than shared words.
func (c Cues) likeness(other Cues) float64 {
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

// The examples for a model.
const (
	mostExamples   = 5
	longestExample = 240 // characters of the excerpt
	leastLikeness  = 0.02
)

// example is a correction and how much it has to do with the case.
type example struct {
	modelCorrection

	score float64
}

// examples returns the corrections of texts that are most like this one.
func examples(in Input, hints Findings, g guard) []modelCorrection {
	var all []example
	for _, l := range in.Lessons {
		if l.Kept {
			continue
		}
		if e, known := exampleOf(l, in, hints.Cues); known && e.score >= leastLikeness {
			excerpt := g.withoutInstructions(l.Excerpt)
			e.Excerpt = cut(strings.Join(strings.Fields(excerpt), " "), longestExample)
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b example) int { return cmp.Compare(b.score, a.score) })
	list := []modelCorrection{}
	for _, e := range all[:min(len(all), mostExamples)] {
		list = append(list, e.modelCorrection)
	}
	return list
}

// exampleOf tells also whether the account still knows what was found and chosen.
func exampleOf(l Lesson, in Input, cues Cues) (example, bool) {
	e := example{modelCorrection{Field: l.Field, Found: l.Detected, Chosen: l.Chosen}, cues.likeness(l.Cues)}
	const sameJudgement = 0.5
	switch l.Field {
	case FieldStatus:
		var before, now bool
		e.Found, before = nameOfStage(in, l.Detected)
		e.Chosen, now = nameOfStage(in, l.Chosen)
		if l.Cues.Meaning == cues.Meaning {
			e.score += sameJudgement
		}
		return e, before && now
	case FieldFounders:
		e.Found, e.Chosen = listed(l.Before), listed(l.After)
	case FieldSource:
		if l.Cues.Source == cues.Source {
			e.score += sameJudgement
		}
	}
	return e, true
}

// nameOfStage tells also whether the account still has the stage; none is always known.
func nameOfStage(in Input, id string) (name string, known bool) {
	for _, s := range in.Stages {
		if s.ID == id {
			return s.Name, true
		}
	}
	return "", id == ""
}

func listed(people []Founder) string {
	var all []string
	for _, f := range people {
		all = append(all, strings.TrimSpace(f.Name+" <"+f.Email+">"))
	}
	return cut(strings.Join(all, ", "), longestExample)
}
