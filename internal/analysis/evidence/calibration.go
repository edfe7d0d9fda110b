package evidence

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	"dealflow/internal/analysis/lexicon"
)

// CalibratedLink is the name of the curve in calibration.json for the choice of a deck among links. The choice among
// documents has a curve of its own.
const CalibratedLink = "deck_link"

// CalibratedPeople is the name of the curve in calibration.json for the decision that no founder is missing among those
// found.
const CalibratedPeople = "founders_all"

// Calibration has, for each field, for CalibratedLink and for CalibratedPeople, the logistic curve that computes from
// the features of a decision the share of such decisions that are right. `make calibrate` fits the curves to the
// labelled texts.
type Calibration map[string]struct {
	Bias    float64            `json:"bias"`
	Weights map[string]float64 `json:"weights"`
}

// LoadCalibration returns the curves of calibration.json, which is part of the binary.
func LoadCalibration() Calibration {
	var c Calibration
	data, err := lexicon.File("calibration.json")
	if err != nil || json.Unmarshal(data, &c) != nil {
		return Calibration{} // cannot happen: the file is part of the binary, and a test reads it
	}
	return c
}

// Certain is the feature of a decision that is certain, such as that the only PDF is the deck.
const Certain = "certain"

// surest is the highest confidence that a decision without Certain can have: no set of labels is large enough to prove
// more.
const surest = 0.99

// Confidence returns the share of right decisions that the field's curve expects for these features: from 0.01 to 0.99,
// with two decimals. It is 1 with the feature Certain, and 0.5 for a field without a curve.
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
