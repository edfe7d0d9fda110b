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

// Meanings returns the meanings that a text can have for a deal's stage, and the purposes that a stage can have, in the
// order of the classes of the models. The models have one more class after these: "none" for a text, "other" for a
// stage.
func Meanings() []string {
	return []string{
		ConceptIntake, ConceptContacted, ConceptScreening, ConceptMeeting, ConceptPartner, ConceptDiligence, ConceptCommittee,
		ConceptTerms, ConceptWon, ConceptLost, ConceptHold,
	}
}
