package analysis

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"dealflow/internal/analysis/rank"
)

// notADeal is what NeedsReview says of a text that is no deal.
const notADeal = "this does not look like a deal"

// NotADeal reports whether the text does not look like a deal.
func (f Findings) NotADeal() bool { return slices.Contains(f.NeedsReview, notADeal) }

// reader is the second reader: it chooses by learned weights among what the text offers, with the rules' choice as one
// thing that speaks for a candidate. That both agree is the best sign that they are right.
type reader struct {
	r        *Rules
	seen     *Observation
	features rank.Vector
	kinds    []float64
	meaning  []float64
	names    []string // candidates
	sure     []float64
	none     float64 // how likely it is no deal
}

func newReader(seen *Observation) *reader {
	d := &reader{r: seen.r, seen: seen, features: seen.Text()}
	d.kinds = d.model(rankKind).Classify(d.features)
	d.meaning = d.model(rankMeaning).Classify(d.features)
	var vectors []rank.Vector
	d.names, vectors = seen.Names(d.kinds)
	d.sure = d.model(rankName).Rank(vectors)
	d.none = d.model(rankDeal).Classify(seen.Deal(d.kinds, d.meaning, d.sure))[1]
	return d
}

func (d *reader) model(name string) *rank.Model { return d.r.models[name] }

// noDeal reports whether the text is about no company that somebody might invest in.
func (d *reader) noDeal() bool { return d.none > likelyNone }

// How likely a text must be none about a deal to be treated so: to be shown to somebody, and to get no stage and no
// founders. To look in vain costs less than a company that is none.
const (
	doubtfulDeal = 0.25
	likelyNone   = 0.5
)

// read lets the second reader decide what the rules decided.
func (o *outcome) read(seen *Observation) {
	d := newReader(seen)
	o.notADeal = d.none > doubtfulDeal
	o.name = d.name(o.name)
	o.founders, o.people = d.founders(o.name.value)
	if o.in.DetectSource {
		o.source = d.source()
	}
	if o.in.DetectStatus && len(o.in.Stages) > 0 {
		o.status = d.status()
	}
}

// sureness returns what the confidence in a choice is reckoned from: how likely it is by the weights, how likely the
// next one, and whether the rules chose the same.
func (d *reader) sureness(p []float64, chosen int, agree bool) features {
	rival := 0.0
	for i, one := range p {
		if i != chosen {
			rival = max(rival, one)
		}
	}
	f := features{"odds": odds(p[chosen]), "rival": rival, "kind": most(d.kinds)}
	f.set("agree", agree)
	f.set("not_a_deal", d.noDeal())
	f["agree_odds"] = float64(boolInt(agree)) * f["odds"]
	f.set("short", len(d.seen.rd.tokens) < 30)
	f.set("quotes", d.seen.rd.quotes())
	d.ofText(f)
	f.set("latin", !hasHan(d.seen.rd.body))
	return f
}

// ofText adds how plain the text is: letters with heads, answers and addresses are read better than scribbles.
func (d *reader) ofText(f features) {
	rd := d.seen.rd
	f.set("letter", rd.isLetter())
	f.set("head", len(rd.mails) > 0)
	f.set("form", rd.isForm())
	f.set("addresses", len(rd.address) > 0)
	f.set("chief", hasChief(rd.people))
}

// odds returns the logarithm of a probability's odds, within bounds.
func odds(p float64) float64 {
	const least = 0.002
	p = max(least, min(p, 1-least))
	return math.Log(p / (1 - p))
}

func (d *reader) name(rules decision) decision {
	texts, p := d.names, d.sure
	if len(texts) == 0 {
		return rules
	}
	i := best(p)
	agree := texts[i] == rules.value
	f := d.sureness(p, i, agree)
	f.set("rules_unsure", rules.features["best"] == 0)
	if agree {
		rules.features = f
		return rules
	}
	one := d.seen.names[i]
	made := decision{value: limitName(texts[i]), features: f}
	if len(one.at) > 0 {
		made.at = d.seen.rd.placeOf(one.at[0])
	} else {
		made.at = anywhere(d.seen.rd, d.seen.in, texts[i])
	}
	return made
}

func (d *reader) source() decision {
	p := d.model(rankSource).Classify(d.features)
	i := best(p)
	rules := d.seen.source
	f := d.sureness(p, i, sourceNames()[i] == rules.value)
	f["rivals"] = rules.features["rivals"]
	if sourceNames()[i] == rules.value {
		rules.features = f
		return rules
	}
	made := decision{value: sourceNames()[i], at: d.seen.rd.opening(), features: f}
	made.reasoning = fmt.Sprintf("The text as a whole reads like %s.", manner(made.value))
	return made
}

// manner says in words how a text of a source reads.
func manner(source string) string {
	switch source {
	case sourceReferral:
		return "somebody's recommendation"
	case sourceEvent:
		return "what is written after an event"
	case sourceForm:
		return "answers to a questionnaire"
	case sourceWebsite:
		return "a message from a site's contact form"
	case sourceManual:
		return "a note of the team"
	case sourceOther:
		return "a message from another channel"
	}
	return "a mail"
}

func (d *reader) status() decision {
	rules, stages := d.seen.status, d.seen.pipeline.stages
	c := d.r.stageContext(d.seen.rd, d.seen.pipeline, rules, d.kinds, d.meaning)
	p := c.allowed(d.model(rankStage).Rank(c.vectors()))
	i := best(p)
	if d.noDeal() {
		i = len(stages)
	}
	value := ""
	if i < len(stages) {
		value = stages[i].ID
	}
	f := d.sureness(p, i, value == rules.value)
	f.set("none", value == "")
	f.set("intake", i < len(stages) && i == d.seen.pipeline.intake)
	if value == rules.value {
		rules.features = f
		return rules
	}
	made := decision{value: value, features: f, meaning: MeaningNames()[best(d.meaning)]}
	if value == "" {
		made.meaning = rules.meaning
		made.reasoning = "The text as a whole names no stage that the deal is in."
		return made
	}
	made.at = c.placeOf(i)
	made.reasoning = fmt.Sprintf("By the text as a whole the deal is in “%s”.", stages[i].Name)
	return made
}

// allowed takes the stages out that no weight may choose: what the text speaks of only to deny it, and, where founders
// speak, that the investor has invested, which they may only ask for. The rules' own choice stays.
func (c *stageContext) allowed(p []float64) []float64 {
	sum := 0.0
	for i, s := range c.p.stages {
		if s.ID != c.rules.value && (c.onlyDenied(i) || c.rd.founderVoice && c.p.concepts[i] == conceptWon) {
			p[i] = 0
		}
	}
	for _, one := range p {
		sum += one
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

func (c *stageContext) onlyDenied(i int) bool {
	denied := false
	for _, one := range c.claims {
		if one.stage == i && one.score > 0 {
			return false
		}
		denied = denied || one.stage == i
	}
	return denied
}

// placeOf returns what of the text speaks most for a stage: a place that claims it, else its name, else the beginning.
func (c *stageContext) placeOf(i int) place {
	var strongest claim
	for _, one := range c.claims {
		if one.stage == i && (strongest.hit.last == 0 || one.score > strongest.score) {
			strongest = one
		}
	}
	switch {
	case strongest.hit.last > 0:
		return c.rd.placeOf(strongest.hit)
	case len(c.named[i]) > 0:
		return c.rd.placeOf(c.named[i][0])
	}
	return c.rd.opening()
}

// How likely somebody must be a founder: more than not, unless the rules take them for one too or they are the likeliest
// where somebody must be one.
const (
	likelyFounder = 0.5
	likelyForBoth = 0.2
	likelyNobody  = 0.3
	unlikely      = 0.02
	mostFounders  = 12
)

// founders returns everybody whom the weights take for a founder, in the order of the text.
// The decision is that they are all.
func (d *reader) founders(company string) ([]founderFound, decision) {
	all := d.r.persons(d.seen.rd, d.seen.names, d.seen.mentions)
	vectors := d.seen.personContext(d.kinds, d.meaning, company).vectors(all)
	first := d.model(rankFirst).Rank(append(vectors, d.seen.Nobody(d.kinds, d.meaning, len(all))))
	p := make([]float64, len(all))
	order := make([]int, len(all))
	for i := range all {
		p[i] = d.model(rankFounder).Rank([]rank.Vector{vectors[i], {}})[0]
		order[i] = i
	}
	nobody := first[len(all)]
	sort.SliceStable(order, func(a, b int) bool { return p[order[a]]+first[order[a]] > p[order[b]]+first[order[b]] })
	var kept []mention
	var sure []float64
	missed := 0.0
	for _, i := range order {
		taken := slices.ContainsFunc(kept, func(m mention) bool { return samePerson(m.name, all[i].text) })
		if taken || p[i] < unlikely {
			continue
		}
		together := shareOf(all, p, i)
		if d.noDeal() || len(kept) == mostFounders || !d.isLikely(all[i], together, nobody, len(kept)) {
			missed = max(missed, together)
			continue
		}
		kept = append(kept, d.mentionOf(all[i]))
		sure = append(sure, together)
	}
	found := d.found(kept, sure)
	made := d.everybody(found, sure, missed)
	made.features["nobody_odds"] = odds(nobody)
	return found, made
}

// isLikely reports whether somebody is taken for a founder, where others are already.
func (d *reader) isLikely(p *person, likely, nobody float64, others int) bool {
	byRules := slices.ContainsFunc(d.seen.founders, func(f founderFound) bool { return samePerson(f.Name, p.text) })
	switch {
	case byRules:
		return likely >= likelyForBoth
	case others == 0 && nobody < likelyNobody:
		return true
	}
	return likely >= likelyFounder
}

// shareOf returns how likely somebody is a founder under any of the names that may be theirs: the likelihood of one
// person is spread over "theo marchetti", "Theo Marchetti" and "Theo".
func shareOf(all []*person, p []float64, i int) float64 {
	sum := 0.0
	for n, one := range all {
		if n == i || samePerson(one.text, all[i].text) {
			sum += p[n]
		}
	}
	return min(sum, 1)
}

// everybody says how sure it is that these are the founders, with their addresses.
func (d *reader) everybody(found []founderFound, sure []float64, missed float64) decision {
	f := features{"missed": odds(missed), "kind": most(d.kinds), "weakest": 0}
	addresses := 0
	for i, one := range found {
		if w := odds(sure[i]); i == 0 || w < f["weakest"] {
			f["weakest"] = w
		}
		addresses += boolInt(one.Email != "")
	}
	f.set("nobody", len(found) == 0)
	f.set("several", len(found) > 1)
	f.set("many", len(found) > 3)
	f.set("no_address", len(found) > 0 && addresses == 0)
	f.set("some_addresses", addresses > 0 && addresses < len(found))
	f.set("unused_addresses", addresses < len(d.seen.rd.address))
	same := len(found) == len(d.seen.founders)
	for i := range found {
		same = same && slices.ContainsFunc(d.seen.founders, func(o founderFound) bool { return nameAndEmail(o.Founder) == nameAndEmail(found[i].Founder) })
	}
	f.set("agree", same)
	f.set("not_a_deal", d.noDeal())
	d.ofText(f)
	return decision{features: f}
}

// mentionOf joins what the rules know of a person.
func (d *reader) mentionOf(p *person) mention {
	m := mention{name: p.text, start: len(d.seen.rd.body), kind: bySpoken}
	if len(p.at) > 0 {
		m.start = d.seen.rd.tokens[p.at[0].first].start
	}
	for i, one := range p.mentions {
		if i == 0 {
			m.kind, m.doc, m.chief = one.kind, one.doc, one.chief
		}
		if m.title == "" || one.title != "" && len(one.title) > len(m.title) && strings.Contains(fold(one.title), fold(m.title)) {
			m.title = one.title
		}
		if m.email == "" {
			m.email = one.email
		}
		m.seen += boolInt(one.kind != m.kind)
	}
	if m.title == "" {
		m.title = d.titleBeside(p)
	}
	return m
}

// titleBeside returns the title that stands right beside one of the person's places.
func (d *reader) titleBeside(p *person) string {
	const near = 4
	for _, h := range p.at {
		start, end := d.seen.rd.tokens[h.first].start, d.seen.rd.tokens[h.last-1].end
		for _, t := range d.seen.rd.titleList {
			if t.end <= start && start-t.end <= near || t.start >= end && t.start-end <= near {
				return singular(t.text)
			}
		}
	}
	return ""
}

func (d *reader) found(kept []mention, sure []float64) []founderFound {
	at := map[string]float64{}
	for i, m := range kept {
		at[m.name] = sure[i]
	}
	sort.SliceStable(kept, func(i, j int) bool { return kept[i].start < kept[j].start })
	list := make([]Founder, 0, len(kept))
	for _, m := range kept {
		list = append(list, Founder{Name: plainName(m.name), Title: m.title, Email: m.email})
	}
	d.r.fillContacts(d.seen.rd, list)
	all := make([]founderFound, 0, len(list))
	for i, f := range list {
		made := d.r.founderDecision(d.seen.rd, d.seen.in, f, kept[i], len(list))
		same := slices.ContainsFunc(d.seen.founders, func(o founderFound) bool { return nameAndEmail(o.Founder) == nameAndEmail(f) })
		features := d.sureness([]float64{at[kept[i].name]}, 0, same)
		for _, name := range []string{"address", "own_address", "free_address", "one_word", "several", "many"} {
			features[name] = made.features[name]
		}
		made.features = features
		all = append(all, founderFound{Founder: f, decision: made})
	}
	return all
}

func nameAndEmail(f Founder) string { return f.Name + " " + f.Email }
