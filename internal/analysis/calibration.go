package analysis

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
)

// Below these a field stays empty and asks for a look. A wrong status moves a deal to where nobody looks for it, a
// wrong founder gets a stranger's mail, a wrong source only labels: so these go where it is clearly likelier that the
// value is wrong. A name is better than none as long as it is about as likely as the domain that would be in for it.
// Where no PDF is likelier than not the deck, the first one is taken, as it is without an analysis.
const (
	leastName    = 0.05
	leastFounder = 0.3
	leastSummary = 0.4
	leastStatus  = 0.15
	leastSource  = 0.1
	leastDeck    = 0.5

	trusted = 0.8 // below it a filled field asks for a look too
)

// calibratedLink is what calibration.json calls the choice of a deck among links, beside that among documents.
const calibratedLink = "deck_link"

// calibratedPeople is what it calls that the founders found are all of them.
const calibratedPeople = "founders_all"

// calibration turns the features of a decision into the share of such decisions that are right: one logistic curve a
// field, fitted to the labelled texts by `make calibrate`.
type calibration map[string]struct {
	Bias    float64            `json:"bias"`
	Weights map[string]float64 `json:"weights"`
}

func loadCalibration() calibration {
	var c calibration
	data, err := lexiconFiles.ReadFile("lexicon/calibration.json")
	if err != nil || json.Unmarshal(data, &c) != nil {
		return calibration{} // cannot be: the file is part of the binary, and a test reads it
	}
	return c
}

// certain is the feature of what is no judgement: the only PDF is the deck.
const certain = "certain"

// surest is the most that anything is trusted: no set of labels is large enough to prove more.
const surest = 0.99

// confidence returns the share of right decisions among those with these features, from 0.01 to 0.99, to two decimals.
func (c calibration) confidence(field string, of features) float64 {
	if of[certain] > 0 {
		return 1
	}
	curve := c[field]
	x := curve.Bias
	for _, name := range slices.Sorted(maps.Keys(of)) { // in one order, so that the sum is the same each time
		x += curve.Weights[name] * of[name]
	}
	p := 1 / (1 + math.Exp(-x))
	return math.Round(100*min(surest, max(1-surest, p))) / 100
}
