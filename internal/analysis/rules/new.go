package rules

import (
	"maps"
	"time"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/deck"
	"dealflow/internal/analysis/evidence"
	"dealflow/internal/analysis/founders"
	"dealflow/internal/analysis/lessons"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/naming"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/rank"
	"dealflow/internal/analysis/source"
	"dealflow/internal/analysis/stage"
	"dealflow/internal/analysis/summary"
	"dealflow/internal/analysis/text"
)

// Rules is the built-in analyzer. It is offline, and deterministic if the input has a ReferenceTime. It is built once
// and may be used by many goroutines.
type Rules struct {
	words     *lexicon.Words
	picker    *links.DeckPicker
	extractor *links.Extractor

	text     *text.Reader
	people   *people.Finder
	deck     *deck.Chooser
	naming   *naming.Namer
	founders *founders.Finder
	source   *source.Judge
	stage    *stage.Judge
	summary  *summary.Writer
	lessons  *lessons.Learner

	guard       text.Guard
	calibration evidence.Calibration
	models      rank.Models
}

// New builds the rules for a table of deck classes, which distinguishes the links of platforms from a company's own
// pages.
func New(classes []links.DeckClass) *Rules { return Unlearned(classes).WithModels(rank.Embedded()) }

// Unlearned builds the rules without their models, which take half of their memory. It is for callers that only call
// Outline or IsClosing. An analysis with such rules uses phrases alone.
func Unlearned(classes []links.DeckClass) *Rules {
	r := &Rules{
		words: lexicon.Load(), picker: links.NewDeckPicker(classes), extractor: links.NewExtractor(classes),
		guard: text.NewGuard(), calibration: evidence.LoadCalibration(),
	}
	r.text = text.NewReader(r.words, r.extractor)
	r.people = people.NewFinder(r.words, r.text)
	r.deck = deck.NewChooser(r.words, r.picker)
	r.naming = naming.NewNamer(r.words, r.picker, r.text, r.people)
	r.founders = founders.NewFinder(r.words, r.text, r.people, r.naming)
	r.source = source.NewJudge(r.words, r.people)
	r.summary = summary.NewWriter(r.words, r.text, r.people)
	return r.WithModels(nil)
}

// WithModels returns a copy of the rules with other models, for the training and the test of these. If m lacks one of
// rank.ModelNames, an analysis uses phrases alone.
func (r *Rules) WithModels(m rank.Models) *Rules {
	other := *r
	other.models = maps.Clone(m)
	other.stage = stage.NewJudge(r.words, r.text, r.people, m)
	other.lessons = lessons.NewLearner(r.picker, r.text, other.stage)
	return &other
}

// understand parses the text, finds the people and the company in it, and returns all three, which all further rules
// need. If the input has no ReferenceTime, the year of the analysis is the present one.
func (r *Rules) understand(in analysis.Input) *naming.Subject {
	year := in.ReferenceTime.Year()
	if in.ReferenceTime.IsZero() {
		year = time.Now().Year()
	}
	return r.naming.Read(r.people.Read(r.text.Read(in.Text, year)), in)
}
