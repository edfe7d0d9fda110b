package rules

import (
	"slices"
	"strings"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/evidence"
	"dealflow/internal/analysis/founders"
	"dealflow/internal/analysis/naming"
	"dealflow/internal/analysis/text"
)

// outcome has all decisions of the rules on one input, sure or not.
type outcome struct {
	asSent    string // the text as sent; in.Text has spaces in place of instructions for software
	in        analysis.Input
	rd        *naming.Subject
	notADeal  bool
	name      evidence.Decision
	founders  []founders.Found
	people    evidence.Decision // the decision that no founder is missing
	summary   evidence.Decision
	status    evidence.Decision
	source    evidence.Decision
	deck      evidence.Decision // the decision which document is the deck
	deckLink  evidence.Decision
	documents []analysis.Document // as given; in has only the deck
}

// decide makes the decisions on an input: always on the name, the founders, the summary and the document to read, on
// the source and the status only if they were requested, and on the deck's link only if there is one.
func (r *Rules) decide(in analysis.Input) outcome {
	o := outcome{documents: in.Documents, asSent: in.Text}
	in.Text = r.guard.OfRead(in.Text)
	o.deck, in.Documents = r.deck.DeckAmong(in)
	o.rd = r.understand(in)
	o.in = in
	seen := r.observe(o.rd, in)
	o.name, o.founders = seen.name, seen.founders
	if in.DetectSource {
		o.source = seen.source
	}
	if in.DetectStatus {
		o.status = seen.status
	}
	if r.models.Whole() {
		o.read(seen)
	}
	o.summary = r.summary.Summarize(o.rd.Cast, in, o.name.Value, o.founders)
	if in.DeckURL != "" {
		o.deckLink = r.deck.LinkDecision(in)
	}
	o.weigh(r.calibration, r.models.Whole())
	return o
}

// weigh sets the field and the confidence of each decision. ranked is true if the models made the decisions. Otherwise
// only the summary, the deck and its link have a curve that fits; the confidence of any other decision is 0.5, or 1 if
// it has the feature evidence.Certain.
func (o *outcome) weigh(c evidence.Calibration, ranked bool) {
	if !ranked { // the curves are those of the models' choices
		c = evidence.Calibration{
			analysis.FieldSummary: c[analysis.FieldSummary], analysis.FieldDeck: c[analysis.FieldDeck],
			evidence.CalibratedLink: c[evidence.CalibratedLink],
		}
	}
	for field, d := range map[string]*evidence.Decision{
		analysis.FieldName: &o.name, analysis.FieldSummary: &o.summary, analysis.FieldStatus: &o.status,
		analysis.FieldSource: &o.source, analysis.FieldDeck: &o.deck,
	} {
		d.Field, d.Confidence = field, c.Confidence(field, d.Features)
	}
	o.deckLink.Field, o.deckLink.Confidence = analysis.FieldDeck,
		c.Confidence(evidence.CalibratedLink, o.deckLink.Features)
	o.people.Field, o.people.Confidence = evidence.CalibratedPeople,
		c.Confidence(evidence.CalibratedPeople, o.people.Features)
	for i := range o.founders {
		d := &o.founders[i].Decision
		d.Field, d.Confidence = analysis.FieldFounders, c.Confidence(analysis.FieldFounders, d.Features)
	}
}

// findings returns the values that are sure enough, and names the fields that need a review. A name that is not sure
// enough is replaced, see replaceName.
func (o *outcome) findings(r *Rules) analysis.Findings {
	f := analysis.Findings{Analyzer: rulesName}
	k := keeper{o: o, f: &f}
	f.Name, f.NeedsReview = o.name.Value, nil
	if o.notADeal {
		f.NeedsReview = append(f.NeedsReview, analysis.NotADeal)
	}
	if o.name.Value == naming.Unnamed || o.name.Confidence < evidence.LeastName {
		k.replaceName(r)
	} else {
		if o.name.Confidence < evidence.Trusted {
			k.doubt(analysis.FieldName)
		}
		k.show(o.name)
	}
	k.keepFounders()
	f.Summary = k.keep(o.summary, evidence.LeastSummary)
	if o.in.DetectStatus {
		f.StatusID, f.StatusReasoning = k.keep(o.status, evidence.LeastStatus), k.reasoning
	}
	if o.in.DetectSource {
		f.Source, f.SourceReasoning = k.keep(o.source, evidence.LeastSource), k.reasoning
	}
	if o.in.PickDeck {
		f.DeckDocumentID, f.DeckReasoning = k.keep(o.deck, evidence.LeastDeck), k.reasoning
	} else if o.deck.Value != "" {
		k.show(o.deck)
	}
	if o.deckLink.Value != "" {
		k.show(o.deckLink)
	}
	return f
}

// keeper sets the fields of the findings from the decisions. It aligns the parsed text with the text as sent only when
// evidence needs that for the first time.
type keeper struct {
	o         *outcome
	f         *analysis.Findings
	al        *text.Alignment
	reasoning string // of the decision kept last
}

// keep returns the value of a decision, or "" if its confidence is below least. It adds the evidence of a value that it
// returns, requests a review if the confidence is below evidence.Trusted, and sets k.reasoning. A decision without
// Features, which was not requested, needs no confidence.
func (k *keeper) keep(d evidence.Decision, least float64) string {
	k.reasoning = d.Reasoning
	if d.Features != nil && d.Confidence < least {
		k.doubt(d.Field)
		if d.Value != "" {
			k.reasoning = "Too unsure to decide: " + d.Reasoning
		}
		return ""
	}
	if d.Features != nil && d.Confidence < evidence.Trusted {
		k.doubt(d.Field)
	}
	if d.Value != "" {
		k.show(d)
	}
	return d.Value
}

func (k *keeper) doubt(field string) {
	k.f.NeedsReview = append(k.f.NeedsReview, field)
}

// replaceName sets a substitute for a name that is not sure enough: the deck's title, else a domain, else "Untitled
// company".
func (k *keeper) replaceName(r *Rules) {
	k.doubt(analysis.FieldName)
	d := r.naming.StandIn(k.o.rd.Text, k.o.in)
	k.f.Name = d.Value
	if d.Value != naming.Unnamed {
		d.Field, d.Confidence = analysis.FieldName, r.calibration.Confidence(analysis.FieldName, d.Features)
		k.show(d)
	}
}

func (k *keeper) keepFounders() {
	k.f.Founders = make([]analysis.Founder, 0, len(k.o.founders))
	doubted := k.o.people.Features != nil && k.o.people.Confidence < evidence.Trusted
	for _, found := range k.o.founders {
		if found.Decision.Confidence < evidence.LeastFounder {
			doubted = true
			continue
		}
		k.f.Founders = append(k.f.Founders, found.Founder)
		k.show(found.Decision)
	}
	if doubted {
		k.doubt(analysis.FieldFounders)
	}
}

// show adds the evidence of a decision, with its quote from the text as sent or from a document.
func (k *keeper) show(d evidence.Decision) {
	e := analysis.Evidence{Field: d.Field, Value: d.Value, Confidence: d.Confidence, Analyzer: rulesName}
	if d.At.Doc > 0 {
		e.Quote, e.Page, e.DocumentID = d.At.Quote, d.At.Page, k.o.in.Documents[d.At.Doc-1].ID
		k.f.Evidence = append(k.f.Evidence, e)
		return
	}
	if k.al == nil {
		k.al = text.Align(k.o.rd.Text)
	}
	e.Quote, e.Start, e.End = k.o.rd.Quoted(d.At, k.al)
	if k.o.asSent != k.o.in.Text && e.End > 0 {
		e.Quote = string([]rune(k.o.asSent)[e.Start:e.End])
	}
	k.f.Evidence = append(k.f.Evidence, e)
}

// Decision is one value that the rules decided on, sure enough or not, and the features from which its confidence is
// computed. Field is a field of package analysis, evidence.CalibratedLink or evidence.CalibratedPeople. Value is "" if
// they decided on none.
type Decision struct {
	Field, Value string
	Email        string // of a founder
	Confidence   float64
	Features     map[string]float64
}

// Explain returns the result of Analyze, and the decisions of the rules on the input, also those that are not sure
// enough. It leaves out decisions that were not requested, and those for which there was nothing to decide. The
// confidences are fitted to these decisions, and tested with them.
func (r *Rules) Explain(in analysis.Input) (analysis.Findings, []Decision) {
	o := r.decide(in)
	return r.learned(o), o.decisions()
}

func (o *outcome) decisions() []Decision {
	var all []Decision
	for _, d := range []evidence.Decision{o.name, o.summary, o.status, o.source, o.deck} {
		if d.Features != nil {
			all = append(all, Decision{Field: d.Field, Value: d.Value, Confidence: d.Confidence, Features: d.Features})
		}
	}
	if o.deckLink.Features != nil {
		all = append(all, Decision{
			Field: evidence.CalibratedLink, Value: o.deckLink.Value, Confidence: o.deckLink.Confidence,
			Features: o.deckLink.Features,
		})
	}
	if o.people.Features != nil {
		var everybody []string
		for _, f := range o.founders {
			everybody = append(everybody, f.Name+" <"+f.Email+">")
		}
		slices.Sort(everybody)
		all = append(all, Decision{
			Field: evidence.CalibratedPeople, Value: strings.Join(everybody, ", "), Confidence: o.people.Confidence,
			Features: o.people.Features,
		})
	}
	for _, f := range o.founders {
		all = append(all, Decision{
			Field: analysis.FieldFounders, Value: f.Name, Email: f.Email, Confidence: f.Decision.Confidence,
			Features: f.Decision.Features,
		})
	}
	return all
}
