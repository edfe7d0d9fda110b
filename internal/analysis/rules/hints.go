package rules

import (
	"strings"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/text"
)

// Strangers returns the people of a text who are certainly not founders, and reports whether the founders themselves
// wrote the text.
func (r *Rules) Strangers(in analysis.Input) (people.Strangers, bool) {
	rd := r.understand(in)
	s := people.Strangers{Names: r.founders.Outsiders(rd.Scene, rd.Mentions, rd.Company), Addresses: map[string]bool{}}
	for _, h := range rd.Mails {
		for _, to := range h.To {
			for _, a := range text.Addresses(to) {
				s.Addresses[strings.ToLower(a.Email)] = !rd.HasSent(a.Email)
			}
		}
	}
	return s, rd.FounderVoice
}

// IntakeOf returns the ID of the stage of first contacts, "" for none. A decision for this stage needs no quote: no
// words of a text prove that nothing was said about a deal before.
func (r *Rules) IntakeOf(stages []analysis.Stage) string {
	if len(stages) == 0 {
		return ""
	}
	p := r.stage.PipelineOf(stages)
	if p.Intake < 0 {
		return ""
	}
	return stages[p.Intake].ID
}

// Relearned applies the account's corrections to a model's findings, as lessons.Learner.Relearned does.
func (r *Rules) Relearned(f analysis.Findings, in analysis.Input) analysis.Findings {
	return r.lessons.Relearned(f, in)
}

// Guard returns the guard that finds sentences that only instruct software.
func (r *Rules) Guard() text.Guard { return r.guard }

// IsClosing reports whether the name of a stage says that its deals are over, won or lost: "Invested", "Closed Won",
// "Abgelehnt". It is safe for concurrent use.
func (r *Rules) IsClosing(name string) bool { return r.stage.IsClosing(name) }

// FallbackName returns the name to store before the analysis is done, or if the analysis finds none: the domain of an
// address or of a link, written like a name, else "Untitled company". links are those in content, as Outline finds
// them.
func (r *Rules) FallbackName(content string, links []string) string {
	return r.naming.FallbackName(content, links)
}
