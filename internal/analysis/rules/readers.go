package rules

import (
	"fmt"
	"slices"
	"sort"
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
)

// reader chooses by learned weights among the candidates in a text. The choice of the rules is one feature of a
// candidate: nothing shows better that a choice is right than that the weights choose the same.
type reader struct {
	r        *Rules
	seen     *Observation
	features rank.Vector
	kinds    []float64
	meaning  []float64
	names    []string // candidates
	sure     []float64
	none     float64 // how likely the text is about no deal

	persons []*founders.Person // set by founders, with the probability of each
	likely  []float64
}

func newReader(seen *Observation) *reader {
	d := &reader{r: seen.r, seen: seen, features: seen.Text()}
	d.kinds = d.model(rank.Kind).Classify(d.features)
	d.meaning = d.model(rank.Meaning).Classify(d.features)
	_, vectors := seen.Names(d.kinds)
	sure := d.model(rank.Name).Rank(vectors)
	d.none = d.model(rank.Deal).Classify(seen.Deal(d.kinds, d.meaning, sure))[1]
	d.names, d.sure = textsOf(seen.names), make([]float64, len(seen.names))
	for i, one := range seen.pruned {
		d.sure[slices.Index(seen.names, one)] = sure[i]
	}
	return d
}

func (d *reader) model(name string) *rank.Model { return d.r.models[name] }

// noDeal reports whether the text is probably not about a company in which somebody might invest. It reports false if
// the text calls somebody a founder or a chief.
func (d *reader) noDeal() bool { return d.none > likelyNone && !d.namesChief() }

// namesChief reports whether the text calls somebody a founder or a chief of the company.
func (d *reader) namesChief() bool { return slices.ContainsFunc(d.seen.founders, isChief) }

// The probability that a text is about no deal above which a review is requested, and above which the text gets no
// stage and no founders, unless it calls somebody a founder or a chief. A needless review costs less than a company
// that is created from a text about no deal.
const (
	doubtfulDeal = 0.15
	likelyNone   = 0.5
)

// read replaces the decisions of the rules with those that the learned weights make, and sets o.notADeal. The rules
// must have all models.
func (o *outcome) read(seen *Observation) {
	d := newReader(seen)
	o.notADeal = d.none > doubtfulDeal
	rules := o.name
	o.name = d.name(rules)
	o.founders, o.people = d.founders(o.name.Value, false)
	if d.lookAtDomains(o.founders) {
		o.name = d.name(rules)
		o.founders, o.people = d.founders(o.name.Value, false)
	}
	if len(d.names) > 0 &&
		slices.ContainsFunc(o.founders, func(f founders.Found) bool { return f.Name == o.name.Value }) {
		var alone bool
		o.name, alone = d.nameApart(rules, o.name)
		o.founders, o.people = d.founders(o.name.Value, alone)
	}
	if o.in.DetectSource {
		o.source = d.source()
	}
	if o.in.DetectStatus && len(o.in.Stages) > 0 {
		o.status = d.status()
	}
}

// sureness returns the features from which the confidence in the choice p[chosen] is computed: its probability, the
// highest other probability, whether the rules chose the same (agree), and how regular the text is.
func (d *reader) sureness(p []float64, chosen int, agree bool) evidence.Features {
	rival := 0.0
	for i, one := range p {
		if i != chosen {
			rival = max(rival, one)
		}
	}
	f := evidence.Features{"odds": rank.Odds(p[chosen]), "rival": rival, "kind": rank.Most(d.kinds)}
	f.Set("agree", agree)
	f.Set("not_a_deal", d.noDeal())
	f["agree_odds"] = float64(lexicon.BoolInt(agree)) * f["odds"]
	f.Set("short", len(d.seen.rd.Tokens) < 30)
	f.Set("quotes", d.seen.rd.Quotes())
	d.ofText(f)
	f.Set("latin", !lexicon.HasHan(d.seen.rd.Body))
	return f
}

// ofText adds to f how regular the text is: letters with headers, replies and addresses are read better than notes.
func (d *reader) ofText(f evidence.Features) {
	rd := d.seen.rd
	f.Set("letter", rd.IsLetter())
	f.Set("head", len(rd.Mails) > 0)
	f.Set("form", rd.IsForm())
	f.Set("addresses", len(rd.Addresses) > 0)
	f.Set("chief", people.HasChief(rd.Mentions))
}

func (d *reader) name(rules evidence.Decision) evidence.Decision {
	texts, p := d.names, d.sure
	if len(texts) == 0 {
		return rules
	}
	best := rank.Best(p)
	i := d.r.naming.Written(d.seen.rd, d.seen.names, p, best)
	agree := texts[i] == rules.Value
	f := d.sureness(p, best, agree)
	f.Set("rules_unsure", rules.Features["best"] == 0)
	if agree {
		rules.Features = f
		return rules
	}
	one := d.seen.names[i]
	made := evidence.Decision{Value: naming.LimitName(texts[i]), Features: f}
	if len(one.At) > 0 {
		made.At = d.seen.rd.SpanOf(one.At[0])
	} else {
		made.At = evidence.Anywhere(d.seen.rd.Text, d.seen.in, texts[i])
	}
	return made
}

// lookAtDomains corrects the probabilities of the names by the domains of the founders' addresses (see
// naming.Namer.WithDomains). It reports whether another name is the likeliest after that; otherwise it changes nothing.
func (d *reader) lookAtDomains(all []founders.Found) bool {
	if len(d.names) == 0 {
		return false
	}
	var emails []string
	for _, f := range all {
		if f.Email != "" {
			emails = append(emails, f.Email)
		}
	}
	best := rank.Best(d.sure)
	sure := d.r.naming.WithDomains(d.seen.names, d.sure, best, emails)
	if rank.Best(sure) == best {
		return false
	}
	d.sure = sure
	return true
}

// Limits for a name that may be the company's or a founder's. It is the company's, and no founder's, if that is more
// likely than a founder's and above likelyCompany. If it is a founder's with a probability of at least surelyFounder,
// any other name replaces it as the company's, otherwise only a name that is at least nearlyAs times as likely.
const (
	likelyCompany = 0.5
	surelyFounder = 0.9
	nearlyAs      = 0.65
)

// nameApart chooses the company's name again, since the chosen one may be the name of a founder: it multiplies the
// probability of each candidate by the probability that it is no founder's name. If another candidate is best now, and
// is likely enough, it returns that one and keeps the new probabilities. Otherwise it returns chosen, and alone reports
// whether chosen is so surely the company's name that it is no founder's.
func (d *reader) nameApart(rules, chosen evidence.Decision) (name evidence.Decision, alone bool) {
	founder := map[string]float64{}
	for i, one := range d.persons {
		founder[one.Text] = shareOf(d.persons, d.likely, i)
	}
	apart, sum := make([]float64, len(d.names)), 0.0
	for i, name := range d.names {
		apart[i] = d.sure[i] * (1 - founder[name])
		sum += apart[i]
	}
	best, next := rank.Best(d.sure), rank.Best(apart)
	if next == best || apart[next] == 0 ||
		d.sure[next] < nearlyAs*d.sure[best] && founder[d.names[best]] < surelyFounder {
		return chosen, d.sure[best] > max(likelyCompany, founder[d.names[best]])
	}
	for i := range apart {
		apart[i] /= sum
	}
	d.sure = apart
	return d.name(rules), false
}

func (d *reader) source() evidence.Decision {
	p := d.model(rank.Source).Classify(d.features)
	i := rank.Best(p)
	rules := d.seen.source
	f := d.sureness(p, i, source.Names()[i] == rules.Value)
	f["rivals"] = rules.Features["rivals"]
	if source.Names()[i] == rules.Value {
		rules.Features = f
		return rules
	}
	made := evidence.Decision{Value: source.Names()[i], At: d.seen.rd.Opening(), Features: f}
	made.Reasoning = fmt.Sprintf("The text as a whole reads like %s.", manner(made.Value))
	return made
}

// manner returns a description of a text from a source: "somebody's recommendation".
func manner(origin string) string {
	switch origin {
	case source.SourceReferral:
		return "somebody's recommendation"
	case source.SourceEvent:
		return "what is written after an event"
	case source.SourceForm:
		return "answers to a questionnaire"
	case source.SourceWebsite:
		return "a message from a site's contact form"
	case source.SourceManual:
		return "a note of the team"
	case source.SourceOther:
		return "a message from another channel"
	}
	return "a mail"
}

func (d *reader) status() evidence.Decision {
	rules, stages := d.seen.status, d.seen.pipeline.Stages
	c := d.r.stage.NewContext(d.seen.rd.Scene, d.seen.pipeline, rules, stage.Likely{
		Kinds: d.kinds, Meaning: d.meaning, Senses: d.seen.Senses(),
	})
	p := c.Allowed(d.model(rank.Stage).Rank(c.Vectors()))
	i := rank.Best(p)
	if d.noDeal() {
		i = len(stages)
	}
	value := ""
	if i < len(stages) {
		value = stages[i].ID
	}
	f := d.sureness(p, i, value == rules.Value)
	f.Set("none", value == "")
	f.Set("intake", i < len(stages) && i == d.seen.pipeline.Intake)
	if value == rules.Value {
		rules.Features = f
		return rules
	}
	made := evidence.Decision{Value: value, Features: f, Meaning: rank.MeaningNames()[rank.Best(d.meaning)]}
	if rules.Meaning == made.Meaning { // the words that say so hold for another stage too
		made.Phrase = rules.Phrase
	}
	if value == "" {
		made.Meaning = rules.Meaning
		made.Reasoning = "The text as a whole names no stage that the deal is in."
		return made
	}
	made.At = c.SpanOf(i)
	made.Reasoning = fmt.Sprintf("The text as a whole reads as if the deal were in “%s”.", stages[i].Name)
	return made
}

// likelyFounder is the least probability with which somebody is taken for a founder, likelyChief that of somebody whom
// the text calls a founder or a chief, likelyName that with which a longer name is taken for theirs, and unlikely that
// with which somebody is looked at. At most mostFounders are taken.
const (
	likelyFounder = 0.55
	likelyChief   = 0.2
	likelyName    = 0.2
	unlikely      = 0.02
	mostFounders  = 12
)

// founders returns all people whom the weights take for founders, at most 12, in the order of the text, and the
// decision that no founder is missing among them. It returns nobody if the text is about no deal. company is the
// company's name; alone says that it is no founder's. founders sets d.persons and d.likely.
func (d *reader) founders(company string, alone bool) ([]founders.Found, evidence.Decision) {
	all, persons := d.seen.likely()
	vectors := d.seen.personContext(d.kinds, d.meaning, company).Vectors(all)
	first := d.model(rank.First).Rank(append(vectors, d.seen.Nobody(d.kinds, d.meaning, persons)))
	p := make([]float64, len(all))
	order := make([]int, len(all))
	companions := d.seen.Companions(first)
	for i := range all {
		vectors[i].Join(companions[i])
		p[i] = d.model(rank.Founder).Rank([]rank.Vector{vectors[i], {}})[0]
		order[i] = i
	}
	d.persons, d.likely = all, p
	nobody := first[len(all)]
	sort.SliceStable(order, func(a, b int) bool { return p[order[a]]+first[order[a]] > p[order[b]]+first[order[b]] })
	aliases := founders.NewAliases(all)
	var kept []people.Mention
	var taken []int
	var sure []float64
	missed := 0.0
	for _, i := range order {
		if p[i] < unlikely || alone && all[i].Text == company ||
			slices.ContainsFunc(taken, func(k int) bool { return aliases.Same(i, k) }) {
			continue
		}
		together := shareOf(all, p, i)
		if d.noDeal() || len(kept) == mostFounders || together < d.leastFor(all[i]) {
			missed = max(missed, together)
			continue
		}
		mention := d.mentionOf(all[aliases.InFull(i, p, likelyName)])
		for n := 0; n < len(all) && mention.Title == ""; n++ {
			if p[n] >= unlikely && aliases.Same(i, n) { // the title may be beside another of their names
				mention.Title = d.mentionOf(all[n]).Title
			}
		}
		kept = append(kept, mention)
		taken = append(taken, i)
		sure = append(sure, together)
	}
	found := d.found(kept, sure)
	made := d.everybody(found, sure, missed)
	made.Features["nobody_odds"] = rank.Odds(nobody)
	return found, made
}

// leastFor returns the least probability with which p is taken for a founder.
func (d *reader) leastFor(p *founders.Person) float64 {
	for _, f := range d.seen.founders {
		if isChief(f) && people.SamePerson(f.Name, p.Text) {
			return likelyChief
		}
	}
	return likelyFounder
}

// isChief reports whether the text calls a founder whom the rules found a founder or a chief.
func isChief(f founders.Found) bool { return f.Decision.Features["chief"] > 0 }

// shareOf returns the probability that all[i] is a founder: the sum of the probabilities p of all names that may be
// this person's, such as "theo marchetti", "Theo Marchetti" and "Theo", and at most 1.
func shareOf(all []*founders.Person, p []float64, i int) float64 {
	sum := 0.0
	for n := range p {
		if n == i || all[n].Who.Is(all[i].Who) {
			sum += p[n]
		}
	}
	return min(sum, 1)
}

// everybody returns the decision that exactly these are the founders, with their addresses. sure has the probability of
// each, and missed is the highest probability of anybody left out. Only the Features are set.
func (d *reader) everybody(found []founders.Found, sure []float64, missed float64) evidence.Decision {
	f := evidence.Features{"missed": rank.Odds(missed), "kind": rank.Most(d.kinds), "weakest": 0}
	addresses := 0
	for i, one := range found {
		if w := rank.Odds(sure[i]); i == 0 || w < f["weakest"] {
			f["weakest"] = w
		}
		addresses += lexicon.BoolInt(one.Email != "")
	}
	f.Set("nobody", len(found) == 0)
	f.Set("several", len(found) > 1)
	f.Set("many", len(found) > 3)
	f.Set("no_address", len(found) > 0 && addresses == 0)
	f.Set("some_addresses", addresses > 0 && addresses < len(found))
	f.Set("unused_addresses", addresses < len(d.seen.rd.Addresses))
	same := len(found) == len(d.seen.founders)
	for i := range found {
		same = same && slices.ContainsFunc(d.seen.founders,
			func(o founders.Found) bool { return nameAndEmail(o.Founder) == nameAndEmail(found[i].Founder) })
	}
	f.Set("agree", same)
	f.Set("not_a_deal", d.noDeal())
	d.ofText(f)
	return evidence.Decision{Features: f}
}

// mentionOf returns a person as a mention, with the details that the rules found.
func (d *reader) mentionOf(p *founders.Person) people.Mention {
	m := people.Mention{Name: p.Text, Start: len(d.seen.rd.Body), Kind: people.BySpoken}
	if len(p.At) > 0 {
		m.Start = d.seen.rd.Tokens[p.At[0].First].Start
	}
	for i, one := range p.Mentions {
		if i == 0 {
			m.Kind, m.Doc, m.Chief = one.Kind, one.Doc, one.Chief
		}
		if m.Title == "" ||
			one.Title != "" && len(one.Title) > len(m.Title) &&
				strings.Contains(lexicon.Fold(one.Title), lexicon.Fold(m.Title)) {
			m.Title = one.Title
		}
		if m.Email == "" {
			m.Email = one.Email
		}
		m.Seen += lexicon.BoolInt(one.Kind != m.Kind)
	}
	if m.Title == "" {
		m.Title = d.titleBeside(p)
	}
	return m
}

// titleBeside returns the title, in the singular, that is at most four bytes before or after one of the occurrences of
// the person's name; "" if there is none.
func (d *reader) titleBeside(p *founders.Person) string {
	const near = 4
	for _, h := range p.At {
		start, end := d.seen.rd.Tokens[h.First].Start, d.seen.rd.Tokens[h.Last-1].End
		for _, t := range d.seen.rd.Titles {
			if t.End <= start && start-t.End <= near || t.Start >= end && t.Start-end <= near {
				return people.Singular(t.Text)
			}
		}
	}
	return ""
}

func (d *reader) found(kept []people.Mention, sure []float64) []founders.Found {
	at := map[string]float64{}
	for i, m := range kept {
		at[m.Name] = sure[i]
	}
	sort.SliceStable(kept, func(i, j int) bool { return kept[i].Start < kept[j].Start })
	list := make([]analysis.Founder, 0, len(kept))
	for _, m := range kept {
		list = append(list, analysis.Founder{Name: people.PlainName(m.Name), Title: m.Title, Email: m.Email})
	}
	d.r.founders.FillContacts(d.seen.rd.Cast, list)
	all := make([]founders.Found, 0, len(list))
	for i, f := range list {
		made := d.r.founders.FounderDecision(d.seen.rd.Scene, d.seen.in, f, kept[i], len(list))
		same := slices.ContainsFunc(d.seen.founders,
			func(o founders.Found) bool { return nameAndEmail(o.Founder) == nameAndEmail(f) })
		features := d.sureness([]float64{at[kept[i].Name]}, 0, same)
		for _, name := range []string{"address", "own_address", "free_address", "one_word", "several", "many"} {
			features[name] = made.Features[name]
		}
		made.Features = features
		all = append(all, founders.Found{Founder: f, Decision: made})
	}
	return all
}

func nameAndEmail(f analysis.Founder) string { return f.Name + " " + f.Email }
