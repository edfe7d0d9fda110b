package rank

import (
	"dealflow/internal/analysis/lexicon"
)

// The names of the models that read a text, as in the file of weights.
const (
	Kind        = "kind"        // what kind of text it is
	Source      = "source"      // how it arrived
	Meaning     = "meaning"     // what it says about the deal's stage
	StageName   = "stagename"   // what a stage is for
	StageOrder  = "stageorder"  // what a stage is for, by what comes before it
	Stage       = "stage"       // which stage of the account is meant
	PruneNames  = "prunenames"  // which names may be the company's
	Name        = "name"        // which name is the company's
	PrunePeople = "prunepeople" // which people may be founders
	Founder     = "founder"     // whether somebody is a founder
	First       = "first"       // which person is most likely a founder, or that nobody is
	Deal        = "deal"        // whether a text is about a deal at all
)

// ModelNames returns the names of the models that reading needs.
func ModelNames() []string {
	return []string{
		Kind, Source, Meaning, StageName, StageOrder, Stage, PruneNames, Name, PrunePeople, Founder, First, Deal,
	}
}

// Models are the trained models by name.
type Models map[string]*Model

// Embedded parses the weights that are part of the binary, anew at each call. It returns nil if they cannot be parsed.
func Embedded() Models {
	data, err := lexicon.File("weights.bin")
	if err != nil {
		return nil
	}
	models, err := Decode(data)
	if err != nil {
		return nil // cannot happen: a test reads the file
	}
	return models
}

// Whole reports whether m has every model of ModelNames.
func (m Models) Whole() bool {
	for _, name := range ModelNames() {
		if m[name] == nil {
			return false
		}
	}
	return true
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

// MeaningNames returns the meanings that a text can have for a deal's stage, in the order of the classes of the model
// Meaning; "none" is last.
func MeaningNames() []string { return append(lexicon.Meanings(), "none") }

// meaningOther is the meaning of stages that have none of the others: a duplicate, an exit, a further round.
const meaningOther = "other"

// StageMeaningNames returns the meanings that a stage can have, in the order of the classes of the model StageName;
// "other" is last.
func StageMeaningNames() []string { return append(lexicon.Meanings(), meaningOther) }
