package rules

import (
	"context"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/lessons"
)

// rulesName is the value of Findings.Analyzer for the built-in rules.
const rulesName = "rules"

// Analyze returns the findings of the rules, changed by the account's corrections. It returns an error only if ctx has
// ended before Analyze begins.
func (r *Rules) Analyze(ctx context.Context, in analysis.Input) (analysis.Findings, error) {
	if err := ctx.Err(); err != nil {
		return analysis.Findings{}, err
	}
	return r.learned(r.decide(in)), nil
}

func (r *Rules) learned(o outcome) analysis.Findings {
	return r.lessons.Learned(lessons.Judgement{Rd: o.rd.Text, In: o.in, Status: o.status, Source: o.source},
		o.findings(r))
}
