package lexicon

// IsConcept reports whether a section of the lexicon is one of Meanings.
func IsConcept(section string) bool {
	switch section {
	case ConceptIntake, ConceptContacted, ConceptScreening, ConceptMeeting, ConceptPartner, ConceptDiligence,
		ConceptCommittee, ConceptTerms, ConceptWon, ConceptLost, ConceptHold:
		return true
	}
	return false
}

// The meanings that a stage can have, as the sections of stage_names.txt and stage_phrases.txt are called.
const (
	ConceptIntake    = "intake"
	ConceptContacted = "contacted"
	ConceptScreening = "screening"
	ConceptMeeting   = "meeting"
	ConceptPartner   = "partner"
	ConceptDiligence = "diligence"
	ConceptCommittee = "committee"
	ConceptTerms     = "terms"
	ConceptWon       = "won"
	ConceptLost      = "lost"
	ConceptHold      = "hold"
)

// Meanings returns what a text can mean for a deal's stage, in the order of the classes of the models. A stage's
// purpose is one of these, too. The models have one more class after them: "none" for a text, "other" for a stage.
func Meanings() []string {
	return []string{
		ConceptIntake, ConceptContacted, ConceptScreening, ConceptMeeting, ConceptPartner, ConceptDiligence, ConceptCommittee,
		ConceptTerms, ConceptWon, ConceptLost, ConceptHold,
	}
}
