package stage

import (
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// Allowed changes and returns p, the probabilities of the stages: it sets those to 0 that the text rules out, and
// scales the others to add up to 1. Ruled out are stages for a won or a lost deal that the text only denies, and stages
// for a won deal if founders write, since they can only ask for the investment. The stage that the rules chose is never
// ruled out.
func (c *Context) Allowed(p []float64) []float64 {
	sum := 0.0
	for i, s := range c.P.Stages {
		if s.ID != c.Rules.Value && c.isRefused(i) {
			p[i] = 0
		}
	}
	for _, one := range p {
		sum += one
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

func (c *Context) isRefused(i int) bool {
	switch c.P.Concepts[i] {
	case lexicon.ConceptWon:
		return c.Rd.FounderVoice || c.onlyDenied(i)
	case lexicon.ConceptLost:
		return c.onlyDenied(i)
	}
	return false
}

func (c *Context) onlyDenied(i int) bool {
	denied := false
	for _, one := range c.Claims {
		if one.Stage == i && one.Score > 0 {
			return false
		}
		denied = denied || one.Stage == i
	}
	return denied
}

// SpanOf returns the span of the text that supports a stage most: the span of the strongest claim for it, else of the
// first occurrence of its name, else the opening of the text.
func (c *Context) SpanOf(i int) text.Span {
	var strongest Claim
	for _, one := range c.Claims {
		if one.Stage == i && (strongest.Hit.Last == 0 || one.Score > strongest.Score) {
			strongest = one
		}
	}
	switch {
	case strongest.Hit.Last > 0:
		return c.Rd.SpanOf(strongest.Hit)
	case len(c.Named[i]) > 0:
		return c.Rd.SpanOf(c.Named[i][0])
	}
	return c.Rd.Opening()
}
