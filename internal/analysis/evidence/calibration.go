package evidence

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	"dealflow/internal/analysis/lexicon"
)

// CalibratedLink is what calibration.json calls the choice of a deck among links, beside that among documents.
const CalibratedLink = "deck_link"

// CalibratedPeople is what it calls that the founders found are all of them.
const CalibratedPeople = "founders_all"

// Calibration turns the features of a decision into the share of such decisions that are right: one logistic curve a
// field, fitted to the labelled texts by `make calibrate`.
type Calibration map[string]struct {
	Bias    float64            `json:"bias"`
	Weights map[string]float64 `json:"weights"`
}

// LoadCalibration reads the curves that are part of the binary.
func LoadCalibration() Calibration {
	var c Calibration
	data, err := lexicon.File("calibration.json")
	if err != nil || json.Unmarshal(data, &c) != nil {
		return Calibration{} // cannot be: the file is part of the binary, and a test reads it
	}
	return c
}

// Certain is the feature of what is no judgement: the only PDF is the deck.
const Certain = "certain"

// surest is the most that anything is trusted: no set of labels is large enough to prove more.
const surest = 0.99

// Confidence returns the share of right decisions among those with these features, from 0.01 to 0.99, to two decimals.
func (c Calibration) Confidence(field string, of Features) float64 {
	if of[Certain] > 0 {
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
