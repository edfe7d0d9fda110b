package analysis

import (
	"slices"
	"strings"
)

// features are what is known of a decision when its confidence is reckoned, by the names that calibration.json has.
type features map[string]float64

func (f features) set(name string, holds bool) {
	if holds {
		f[name] = 1
	}
}

// decision is a value, or that there is none, with what it rests on.
type decision struct {
	field, value string
	reasoning    string
	at           place
	features     features
	confidence   float64

	meaning, phrase string // of a status: what the text says of the deal's stage, and the words that say so, folded
	channel         string // of a source: the words that tell how the text came, folded
}

// outcome is all that the rules decided on one input, sure or not.
type outcome struct {
	asSent    string // the text before what only steers its reader was blanked out, character by character
	in        Input
	rd        *reading
	notADeal  bool
	name      decision
	founders  []founderFound
	people    decision // that these are all
	summary   decision
	status    decision
	source    decision
	deck      decision // the document
	deckLink  decision
	documents []Document // as asked; in has the deck alone
}

// decide reads and decides everything that is asked for.
func (r *Rules) decide(in Input) outcome {
	o := outcome{documents: in.Documents, asSent: in.Text}
	in.Text = r.guard.ofRead(in.Text)
	o.deck, in.Documents = r.deckAmong(in)
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
	if r.models.whole() {
		o.read(seen)
	}
	o.summary = r.summarize(o.rd, in, o.name.value, o.founders)
	if in.DeckURL != "" {
		o.deckLink = r.linkDecision(in)
	}
	o.weigh(r.calibration, r.models.whole())
	return o
}

// weigh names the fields and reckons how sure each decision is.
func (o *outcome) weigh(c calibration, ranked bool) {
	if !ranked { // the curves are those of the models' choices
		c = calibration{FieldSummary: c[FieldSummary], FieldDeck: c[FieldDeck], calibratedLink: c[calibratedLink]}
	}
	for field, d := range map[string]*decision{
		FieldName: &o.name, FieldSummary: &o.summary, FieldStatus: &o.status, FieldSource: &o.source, FieldDeck: &o.deck,
	} {
		d.field, d.confidence = field, c.confidence(field, d.features)
	}
	o.deckLink.field, o.deckLink.confidence = FieldDeck, c.confidence(calibratedLink, o.deckLink.features)
	o.people.field, o.people.confidence = calibratedPeople, c.confidence(calibratedPeople, o.people.features)
	for i := range o.founders {
		d := &o.founders[i].decision
		d.field, d.confidence = FieldFounders, c.confidence(FieldFounders, d.features)
	}
}

// findings keeps what is sure enough, and names what is not.
func (o *outcome) findings(r *Rules) Findings {
	f := Findings{Analyzer: rulesName}
	k := keeper{o: o, f: &f}
	f.Name, f.NeedsReview = o.name.value, nil
	if o.notADeal {
		f.NeedsReview = append(f.NeedsReview, notADeal)
	}
	if o.name.value == unnamed || o.name.confidence < leastName {
		k.replaceName(r)
	} else {
		if o.name.confidence < trusted {
			k.doubt(FieldName)
		}
		k.show(o.name)
	}
	k.keepFounders()
	f.Summary = k.keep(o.summary, leastSummary)
	if o.in.DetectStatus {
		f.StatusID, f.StatusReasoning = k.keep(o.status, leastStatus), k.reasoning
	}
	if o.in.DetectSource {
		f.Source, f.SourceReasoning = k.keep(o.source, leastSource), k.reasoning
	}
	if o.in.PickDeck {
		f.DeckDocumentID, f.DeckReasoning = k.keep(o.deck, leastDeck), k.reasoning
	} else if o.deck.value != "" {
		k.show(o.deck)
	}
	if o.deckLink.value != "" {
		k.show(o.deckLink)
	}
	return f
}

// keeper fills findings, and aligns the reading with the text as sent once the first evidence asks for it.
type keeper struct {
	o         *outcome
	f         *Findings
	al        *alignment
	reasoning string // of the decision kept last
}

// keep returns the value of a decision that is sure enough, else "".
func (k *keeper) keep(d decision, least float64) string {
	k.reasoning = d.reasoning
	if d.features != nil && d.confidence < least {
		k.doubt(d.field)
		if d.value != "" {
			k.reasoning = "Too unsure to decide: " + d.reasoning
		}
		return ""
	}
	if d.features != nil && d.confidence < trusted {
		k.doubt(d.field)
	}
	if d.value != "" {
		k.show(d)
	}
	return d.value
}

func (k *keeper) doubt(field string) {
	k.f.NeedsReview = append(k.f.NeedsReview, field)
}

// replaceName takes what is in for a name: the deck's title, else a domain, else "Untitled company".
func (k *keeper) replaceName(r *Rules) {
	k.doubt(FieldName)
	d := r.standIn(k.o.rd, k.o.in)
	k.f.Name = d.value
	if d.value != unnamed {
		d.field, d.confidence = FieldName, r.calibration.confidence(FieldName, d.features)
		k.show(d)
	}
}

func (k *keeper) keepFounders() {
	k.f.Founders = make([]Founder, 0, len(k.o.founders))
	doubted := k.o.people.features != nil && k.o.people.confidence < trusted
	for _, found := range k.o.founders {
		if found.decision.confidence < leastFounder {
			doubted = true
			continue
		}
		k.f.Founders = append(k.f.Founders, found.Founder)
		k.show(found.decision)
	}
	if doubted {
		k.doubt(FieldFounders)
	}
}

// show adds the evidence of a decision.
func (k *keeper) show(d decision) {
	e := Evidence{Field: d.field, Value: d.value, Confidence: d.confidence, Analyzer: rulesName}
	if d.at.doc > 0 {
		e.Quote, e.Page, e.DocumentID = d.at.quote, d.at.page, k.o.in.Documents[d.at.doc-1].ID
		k.f.Evidence = append(k.f.Evidence, e)
		return
	}
	if k.al == nil {
		k.al = align(k.o.rd)
	}
	e.Quote, e.Start, e.End = k.o.rd.quoted(d.at, k.al)
	if k.o.asSent != k.o.in.Text && e.End > 0 {
		e.Quote = string([]rune(k.o.asSent)[e.Start:e.End])
	}
	k.f.Evidence = append(k.f.Evidence, e)
}

// placeOnPage returns the line of the document that holds the words, on the first page that has them.
func placeOnPage(d Document, number int, words string) place {
	for i, page := range d.Pages {
		at := indexFold(page, words)
		if words == "" || at < 0 {
			continue
		}
		start := strings.LastIndexByte(page[:at], '\n') + 1
		end := len(page)
		if n := strings.IndexByte(page[at+len(words):], '\n'); n >= 0 {
			end = at + len(words) + n
		}
		return place{doc: number, page: i + 1, quote: strings.TrimSpace(page[start:end])}
	}
	return place{doc: number}
}

// anywhere returns where the words stand, in the text or in one of the documents.
func anywhere(rd *reading, in Input, words string) place {
	at := rd.placeOfName(words, 0)
	for i, d := range in.Documents {
		if on := placeOnPage(d, i+1, words); at.end == 0 && on.quote != "" {
			return on
		}
	}
	return at
}

// Decision is one value that the rules arrived at before any was found too unsure, with what its confidence is reckoned
// from. Value is "" where they decided for none.
type Decision struct {
	Field, Value string
	Email        string // of a founder
	Confidence   float64
	Features     map[string]float64
}

// Decisions gives what the rules make of the input, for fitting and proving the confidences.
func (r *Rules) Decisions(in Input) []Decision {
	o := r.decide(in)
	var all []Decision
	for _, d := range []decision{o.name, o.summary, o.status, o.source, o.deck} {
		if d.features != nil {
			all = append(all, Decision{Field: d.field, Value: d.value, Confidence: d.confidence, Features: d.features})
		}
	}
	if o.deckLink.features != nil {
		all = append(all, Decision{
			Field: calibratedLink, Value: o.deckLink.value, Confidence: o.deckLink.confidence, Features: o.deckLink.features,
		})
	}
	if o.people.features != nil {
		var everybody []string
		for _, f := range o.founders {
			everybody = append(everybody, f.Name+" <"+strings.ToLower(f.Email)+">")
		}
		slices.Sort(everybody)
		all = append(all, Decision{
			Field: calibratedPeople, Value: strings.Join(everybody, ", "), Confidence: o.people.confidence,
			Features: o.people.features,
		})
	}
	for _, f := range o.founders {
		all = append(all, Decision{
			Field: FieldFounders, Value: f.Name, Email: f.Email, Confidence: f.decision.confidence,
			Features: f.decision.features,
		})
	}
	return all
}
