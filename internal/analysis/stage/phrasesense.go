package stage

import (
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// Sense returns how the words around the phrase h change its meaning, which is h.Section: "denied", "past",
// "elsewhere", "ahead", "done", "scheduled" or "now", the first of these that applies; "plain" if none does. f must be
// the result of FramesOf for the hits of the text.
func (r *Judge) Sense(rd *text.Text, h lexicon.Hit, f frames) string {
	switch {
	case r.denied(rd, h, f.not), isAsked(rd, h):
		return "denied"
	case inClause(rd, f.past, h), r.oldYear(rd, h):
		return "past"
	case r.isElsewhere(rd, h, f):
		return "elsewhere"
	case ahead(rd, f.future, h):
		return "ahead"
	case inClause(rd, f.done, h):
		return "done"
	case near(rd, f.scheduled, h, 6):
		return "scheduled"
	case near(rd, f.now, h, 0):
		return "now"
	}
	return "plain"
}
