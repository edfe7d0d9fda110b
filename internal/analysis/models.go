package analysis

import (
	"maps"
	"slices"

	"dealflow/internal/analysis/rank"
)

// The models that read a text, as the file of weights calls them.
const (
	rankKind      = "kind"      // what kind of text it is
	rankSource    = "source"    // how it came
	rankMeaning   = "meaning"   // what it says of the deal's stage
	rankStageName = "stagename" // what a stage is for
	rankStage     = "stage"     // which stage of the account is meant
	rankName      = "name"      // which name is the company's
	rankFounder   = "founder"   // whether somebody is a founder
	rankFirst     = "first"     // who is it most of all, or nobody
	rankDeal      = "deal"      // whether it is about a deal at all
)

// ModelNames returns the names of the models that reading needs.
func ModelNames() []string {
	return []string{rankKind, rankSource, rankMeaning, rankStageName, rankStage, rankName, rankFounder, rankFirst, rankDeal}
}

// Models are the trained models by name.
type Models map[string]*rank.Model

// embeddedModels reads the weights that are part of the binary.
func embeddedModels() Models {
	data, err := lexiconFiles.ReadFile("lexicon/weights.bin")
	if err != nil {
		return nil
	}
	models, err := rank.Decode(data)
	if err != nil {
		return nil // cannot be: a test reads the file
	}
	return models
}

// whole reports whether no model is missing.
func (m Models) whole() bool {
	for _, name := range ModelNames() {
		if m[name] == nil {
			return false
		}
	}
	return true
}

// WithModels returns rules that read with other models, for training and for proving them.
func (r *Rules) WithModels(m Models) *Rules {
	other := *r
	other.models = maps.Clone(m)
	return &other
}

// The kinds of texts, in the order of the model.
const (
	kindPitch    = "pitch"
	kindReferral = "referral"
	kindNote     = "team_note"
	kindUpdate   = "status_update"
	kindReply    = "reply"
	kindDigest   = "digest"
	kindForm     = "form"
	kindNone     = "not_a_deal"
)

func kindNames() []string {
	return []string{kindPitch, kindReferral, kindNote, kindUpdate, kindReply, kindDigest, kindForm, kindNone}
}

// KindNames returns the kinds of texts in the order of the model.
func KindNames() []string { return kindNames() }

func sourceNames() []string {
	return []string{sourceEmail, sourceWebsite, sourceEvent, sourceReferral, sourceForm, sourceManual, sourceOther}
}

// SourceNames returns the sources in the order of the model.
func SourceNames() []string { return sourceNames() }

// MeaningNames returns what a text can say of a stage in the order of the model; none is last.
func MeaningNames() []string { return append(meanings(), "none") }

// best returns the place of the largest value.
func best(p []float64) int {
	at := 0
	for i := range p {
		if p[i] > p[at] {
			at = i
		}
	}
	return at
}

// most returns the largest value, 0 for none.
func most(p []float64) float64 {
	if len(p) == 0 {
		return 0
	}
	return slices.Max(p)
}
