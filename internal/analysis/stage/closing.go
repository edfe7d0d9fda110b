package stage

import (
	"dealflow/internal/analysis/lexicon"
)

// IsClosing reports whether the name of a stage says that its deals are over, won or lost: "Invested", "Closed Won",
// "Abgelehnt". The words are those of the sections won and lost in stage_names.txt. It is safe for concurrent use.
func (r *Judge) IsClosing(stage string) bool {
	concept := r.conceptOf(lexicon.WordKey(bareName(stage)))
	return concept == lexicon.ConceptWon || concept == lexicon.ConceptLost
}
