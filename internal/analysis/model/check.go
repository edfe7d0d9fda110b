package model

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/naming"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/rules"
	"dealflow/internal/analysis/source"
)

// checker chooses for each field between the model's value, if the material supports it, and the rules' value.
type checker struct {
	material

	model   string
	rules   *rules.Rules
	hints   analysis.Findings
	out     analysis.Findings
	refused []string // the fields in which something was refused

	strangers    people.Strangers
	founderVoice bool // the founders themselves speak
}

// checked returns the findings: for each field the model's value if the input supports it, else that of hints, the
// rules' findings; then the account's corrections are applied. It also returns the fields for which a value of the
// model was refused. answer must come from parseAnswer.
func (o *OpenAI) checked(answer modelAnswer, in analysis.Input, hints analysis.Findings,
	asked preparedCase,
) (analysis.Findings, []string) {
	c := checker{
		material: materialOf(in, o.options.Rules.Guard()), model: o.options.Model, rules: o.options.Rules, hints: hints,
		out: hints,
	}
	c.strangers, c.founderVoice = c.rules.Strangers(c.in)
	c.out.Analyzer = o.options.Model
	c.out.Evidence, c.out.NeedsReview = slices.Clone(hints.Evidence), slices.Clone(hints.NeedsReview)
	if asked.remark != "" {
		c.out.Remarks = append(slices.Clone(hints.Remarks), asked.remark)
	}
	c.name(*answer.Name)
	c.founders(*answer.Founders)
	c.summary(answer.Summary)
	if in.DetectStatus {
		c.status(answer.Status)
	}
	if in.DetectSource {
		c.source(answer.Source)
	}
	if in.PickDeck {
		c.deck(answer.Deck)
	}
	return c.rules.Relearned(c.out, in), c.refused
}

// refuse records that the model's value of a field was refused. The rules' value stays, and the field's reasoning says
// why; a field without a reasoning gets a remark.
func (c *checker) refuse(field, why string) {
	if !slices.Contains(c.refused, field) {
		c.refused = append(c.refused, field)
	}
	why = "The model's " + field + " was not used: " + why + ". The built-in rules decided."
	switch field {
	case analysis.FieldStatus:
		c.out.StatusReasoning = why + " " + c.hints.StatusReasoning
	case analysis.FieldSource:
		c.out.SourceReasoning = why + " " + c.hints.SourceReasoning
	case analysis.FieldDeck:
		c.out.DeckReasoning = why + " " + c.hints.DeckReasoning
	default:
		c.out.Remarks = append(c.out.Remarks, why)
	}
}

// Why a value is refused.
const (
	whyNotThere    = "it is not in the text or the documents"
	whyNoQuote     = "it has no quote"
	whyQuoteAbsent = "the quote is not where it is said to be"
	whySteered     = "the words that it rests on ask for it, and are the founders' own"
	whyUnknown     = "the account has no such value"
)

// basis returns where the quote is on which the model bases a decision, and "" for why; or, if the decision is refused,
// a part of a sentence in why. If agreed is true, as for what the rules decided too, the decision needs no quote, and
// is never refused.
func (c *checker) basis(said modelBasis, agreed bool) (at spot, why string) {
	if strings.TrimSpace(said.Quote) == "" {
		if agreed {
			return spot{}, ""
		}
		return spot{}, whyNoQuote
	}
	at, found := c.find(said.Quote, said)
	switch {
	case !found && agreed:
		return spot{}, ""
	case !found:
		return spot{}, whyQuoteAbsent
	}
	return at, ""
}

func (c *checker) name(said modelField) {
	name := oneLine(said.Value, naming.LongestName)
	agreed := lexicon.Squeeze(name) == lexicon.Squeeze(c.hints.Name)
	if name == "" {
		return
	}
	if !isPlainName(name) || !c.holds(name) {
		c.refuse(analysis.FieldName, whyNotThere)
		return
	}
	at, found := c.find(name, said.modelBasis)
	if !found && utf8.RuneCountInString(lexicon.Squeeze(name)) < 4 && !agreed { // "Go" is within any other word
		c.refuse(analysis.FieldName, whyNotThere)
		return
	}
	if quoted, ok := c.find(said.Quote, said.modelBasis); ok &&
		strings.Contains(lexicon.Squeeze(quoted.quote), lexicon.Squeeze(name)) {
		at = quoted
	} else if said.Quote != "" && !ok && !agreed {
		c.refuse(analysis.FieldName, whyQuoteAbsent)
		return
	}
	c.out.Name = name
	c.show(analysis.FieldName, name, at, c.weigh(analysis.FieldName, said.Confidence, agreed))
}

// isPlainName reports whether a text may be a name: it has a letter or a digit, and no character of links, addresses or
// markup.
func isPlainName(name string) bool {
	return !strings.ContainsAny(name, "<>{}@\\|") && !strings.Contains(name, "://") &&
		utf8.RuneCountInString(lexicon.Squeeze(name)) >= 1
}

// founders keeps, of the first 12 people whom the model named, those whose names are in the material and who are not
// certainly somebody else, with the details that are in the material. If the model named people and none is kept, the
// rules' founders stay. If it named nobody, there are no founders, and a review is requested if the rules found some.
func (c *checker) founders(said []modelFounder) {
	const most = 12
	var kept []analysis.Founder
	var shown []analysis.Evidence
	for _, f := range said[:min(len(said), most)] {
		f.Name = oneLine(f.Name, 120)
		at, found := c.find(f.Name, f.modelBasis)
		if !found || !isPlainName(f.Name) || c.strangers.Has(f.Name, f.Email) {
			c.refuse(analysis.FieldFounders, whyNotThere+" as a founder")
			continue
		}
		if quoted, ok := c.find(f.Quote, f.modelBasis); ok &&
			strings.Contains(lexicon.Squeeze(quoted.quote), lexicon.Squeeze(f.Name)) {
			at = quoted
		}
		founder := c.details(f)
		agreed := slices.ContainsFunc(c.hints.Founders,
			func(h analysis.Founder) bool { return people.SamePerson(h.Name, f.Name) })
		kept = append(kept, founder)
		shown = append(shown,
			c.evidence(analysis.FieldFounders, founder.Name, at, c.weigh(analysis.FieldFounders, f.Confidence, agreed)))
	}
	if len(kept) == 0 && (len(said) > 0 || len(c.hints.Founders) == 0) {
		return
	}
	c.out.Founders = append([]analysis.Founder{}, kept...)
	c.replace(analysis.FieldFounders, shown...)
	if len(kept) == 0 {
		c.review(analysis.FieldFounders) // the rules found somebody, and nothing can prove that there is nobody
	}
}

// details returns a founder with the name and those details that the material has, each cut to a length: it checks a
// phone number by its digits, a background sentence by sentence, and takes a LinkedIn profile only from the links of
// the text.
func (c *checker) details(f modelFounder) analysis.Founder {
	email := strings.ToLower(c.literally(f.Email, 254))
	if !strings.Contains(email, "@") {
		email = ""
	}
	return analysis.Founder{
		Name: f.Name, Email: email, Phone: c.number(f.Phone), Title: c.literally(f.Title, 120),
		Background: c.sentences(f.Background, 400), LinkedInProfile: c.profile(f.LinkedInProfile),
	}
}

func (c *checker) summary(said modelField) {
	if summary := c.summarySentences(said.Value, 1500); summary != "" {
		c.out.Summary = summary
		c.replace(analysis.FieldSummary, c.evidence(analysis.FieldSummary, summary, spot{}, clamp(said.Confidence)))
	} else if said.Value != "" {
		c.refuse(analysis.FieldSummary, "what it says is not in the text or the documents")
	}
}

func (c *checker) status(said modelField) {
	id, known := stageOf(c.in, said.Value)
	if !known {
		c.refuse(analysis.FieldStatus, whyUnknown)
		return
	}
	if id == "" {
		c.abstain(analysis.FieldStatus, said)
		return
	}
	at, why := c.basis(said.modelBasis, id == c.hints.StatusID || id == c.rules.IntakeOf(c.in.Stages))
	if why == "" && id != c.hints.StatusID && c.founderVoice && c.guard.Steers(at.quote) {
		why = whySteered // founders do not set the stage of their own deal
	}
	if why != "" {
		c.refuse(analysis.FieldStatus, why)
		return
	}
	c.out.StatusID, c.out.StatusReasoning = id, c.quoted(said.Reasoning, at.quote)
	c.show(analysis.FieldStatus, id, at, c.weigh(analysis.FieldStatus, said.Confidence, id == c.hints.StatusID))
}

// abstain keeps the rules' value of the status or the source if the model has no value, since nothing can prove that
// there is none. It lowers the confidence and requests a review. If the rules have no value either, it does nothing.
func (c *checker) abstain(field string, said modelField) {
	doubt := "The model could not tell"
	if reason := c.reason(said.Reasoning); reason != "" {
		doubt += " (" + strings.TrimSuffix(reason, ".") + ")"
	}
	switch field {
	case analysis.FieldStatus:
		if c.hints.StatusID != "" {
			c.out.StatusReasoning = doubt + "; the built-in rules decided. " + c.hints.StatusReasoning
			c.lower(field)
		}
	case analysis.FieldSource:
		if c.hints.Source != "" {
			c.out.SourceReasoning = doubt + "; the built-in rules decided. " + c.hints.SourceReasoning
			c.lower(field)
		}
	}
}

func (c *checker) source(said modelField) {
	if said.Value == "" {
		c.abstain(analysis.FieldSource, said)
		return
	}
	if !slices.Contains(source.Sources(), said.Value) {
		c.refuse(analysis.FieldSource, whyUnknown)
		return
	}
	agreed := said.Value == c.hints.Source
	at, why := c.basis(said.modelBasis, agreed)
	if why != "" {
		c.refuse(analysis.FieldSource, why)
		return
	}
	c.out.Source, c.out.SourceReasoning = said.Value, c.quoted(said.Reasoning, at.quote)
	c.show(analysis.FieldSource, said.Value, at, c.weigh(analysis.FieldSource, said.Confidence, agreed))
}

func (c *checker) deck(said modelField) {
	if said.Value == "" {
		return
	}
	d, known := documentOf(c.in, said.Value)
	if !known {
		c.refuse(analysis.FieldDeck, "there is no such document")
		return
	}
	at, _ := c.find(said.Quote, said.modelBasis)
	if at.document != d.ID {
		at = spot{document: d.ID}
	}
	c.out.DeckDocumentID, c.out.DeckReasoning = d.ID, c.reasoned(said.Reasoning)
	c.show(analysis.FieldDeck, d.ID, at, c.weigh(analysis.FieldDeck, said.Confidence, d.ID == c.hints.DeckDocumentID))
}

func (c *checker) quoted(reasoning, quote string) string {
	reasoning = c.reasoned(reasoning)
	if quote == "" || strings.Contains(reasoning, quote) {
		return reasoning
	}
	return reasoning + " “" + oneLine(quote, 200) + "”"
}

// reason returns the model's own words, cut to 500 characters, and without the sentences that the material does not
// support.
func (c *checker) reason(s string) string { return c.sentences(s, 500) }

// reasoned is reason, or a general sentence if reason returns "".
func (c *checker) reasoned(s string) string {
	if s = c.reason(s); s != "" {
		return s
	}
	return "The model gave no reason."
}

// show replaces the evidence of a field, and requests a review if the confidence is less than reviewBelow.
func (c *checker) show(field, value string, at spot, confidence float64) {
	c.replace(field, c.evidence(field, value, at, confidence))
	if confidence < reviewBelow {
		c.review(field)
	}
}

func (c *checker) evidence(field, value string, at spot, confidence float64) analysis.Evidence {
	return analysis.Evidence{
		Field: field, Value: value, Confidence: confidence, Quote: at.quote, Start: at.start, End: at.end,
		DocumentID: at.document, Page: at.page, Analyzer: c.model,
	}
}

// replace replaces the rules' evidence of a field, and takes the field out of NeedsReview. The evidence of the deck's
// link stays, since no model chooses the link.
func (c *checker) replace(field string, with ...analysis.Evidence) {
	c.out.Evidence = slices.DeleteFunc(c.out.Evidence, func(e analysis.Evidence) bool {
		return e.Field == field && (field != analysis.FieldDeck || !strings.Contains(e.Value, "://"))
	})
	c.out.Evidence = append(c.out.Evidence, with...)
	c.out.NeedsReview = slices.DeleteFunc(c.out.NeedsReview, func(f string) bool { return f == field })
}

func (c *checker) review(field string) {
	if !slices.Contains(c.out.NeedsReview, field) {
		c.out.NeedsReview = append(c.out.NeedsReview, field)
	}
}

// reviewBelow is the confidence below which a value of the model's is used but a review is requested.
const reviewBelow = 0.5

// Bounds and factors for the confidence that a model states. Models are too confident, so it is kept within bounds, and
// lowered if the model contradicts the rules.
const (
	leastSure      = 0.05
	mostSure       = 0.95
	unsaid         = 0.6  // the confidence for a model that returns no number
	againstTheRule = 0.75 // the factor for a value that the rules surely contradict
	alone          = 0.9  // the factor for a value where the rules have none
	leastAgreed    = 0.3  // the least confidence of the rules that counts when they agree
	surestBoth     = 0.99 // the highest confidence
)

// weigh returns the confidence, from 0 to 1, in the model's value of a field: own is the confidence that the model
// returned, and agreed is whether the rules found the same. If both agree, the value is wrong only if both are wrong. A
// value that only the model has, or that the rules contradict, is less sure.
func (c *checker) weigh(field string, own float64, agreed bool) float64 {
	own = clamp(own)
	rules := c.rulesSure(field)
	switch {
	case agreed:
		own = 1 - (1-own)*(1-min(max(rules, leastAgreed), mostSure))
	case rules > 0:
		own *= 1 - (1-againstTheRule)*min(1, 2*rules)
	default:
		own *= alone
	}
	return math.Round(100*min(own, surestBoth)) / 100
}

// clamp returns a confidence, limited to between leastSure and mostSure. For NaN, 0, and a number below 0 or above 1,
// it returns unsaid.
func clamp(own float64) float64 {
	if math.IsNaN(own) || own <= 0 || own > 1 {
		own = unsaid
	}
	return min(mostSure, max(leastSure, own))
}

// rulesSure returns the rules' confidence in a field, from 0 to 1: the highest one if the field has several values, and
// 0 if the rules decided nothing.
func (c *checker) rulesSure(field string) float64 {
	sure := 0.0
	for _, e := range c.hints.Evidence {
		if e.Field == field {
			sure = max(sure, e.Confidence)
		}
	}
	return sure
}

// lower multiplies the confidence in the rules' value of a field by againstTheRule, and requests a review.
func (c *checker) lower(field string) {
	for i := range c.out.Evidence {
		if c.out.Evidence[i].Field == field {
			c.out.Evidence[i].Confidence = math.Round(100*c.out.Evidence[i].Confidence*againstTheRule) / 100
		}
	}
	c.review(field)
}
