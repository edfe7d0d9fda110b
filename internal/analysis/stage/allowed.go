package stage

import (
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// saysSo is the lowest probability at which the whole text of a founder is taken to say that a deal is won, although it
// does not name a stage for that: "your money arrived this morning".
const saysSo = 0.35

// Allowed changes and returns p, the probabilities of the stages and, last, that of none: it sets those to 0 that the
// text excludes, and scales the others to add up to 1. The text excludes stages for a won or a lost deal that it only
// denies (see onlyDenied), and others whose name it has only to deny it. If founders write, it also excludes stages for
// a won deal, since founders can only ask for an investment, unless the text as a whole probably says that the
// investment was made, and never has the stage's name. The stage that the rules chose is not excluded, unless it is one
// for a won deal whose name founders write.
func (c *Context) Allowed(p []float64) []float64 {
	sum := 0.0
	for i, s := range c.P.Stages {
		if c.isAskedFor(i) || s.ID != c.Rules.Value && c.isRefused(i) {
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

// isAskedFor reports whether founders write the name of a stage for a won deal: they may ask to be moved there.
func (c *Context) isAskedFor(i int) bool {
	return c.P.Concepts[i] == lexicon.ConceptWon && c.Rd.FounderVoice && len(c.Named[i]) > 0
}

func (c *Context) isRefused(i int) bool {
	switch c.P.Concepts[i] {
	case lexicon.ConceptWon:
		return c.Rd.FounderVoice && c.matches[i] < saysSo || c.onlyDenied(i)
	case lexicon.ConceptLost:
		return c.onlyDenied(i)
	}
	return c.isNameDenied(i)
}

// isNameDenied reports whether the text has the name of stage i, denies it each time, and has no other claim for it:
// "we have not started due diligence".
func (c *Context) isNameDenied(i int) bool {
	for _, one := range c.Claims {
		if one.Stage == i && one.Score > 0 {
			return false
		}
	}
	for _, h := range c.Named[i] {
		if c.r.Sense(c.Rd.Text, h, c.frames) != "denied" {
			return false
		}
	}
	return len(c.Named[i]) > 0
}

// onlyDenied reports whether the text has claims for stage i, and for all of them says that they are denied, past,
// conditional or about another company. A claim with a low score for another reason, such as that founders make it, is
// doubtful but not denied.
func (c *Context) onlyDenied(i int) bool {
	denied := false
	for _, one := range c.Claims {
		if one.Stage != i {
			continue
		}
		if one.Score > 0 || !c.isDenial(one) {
			return false
		}
		denied = true
	}
	return denied
}

func (c *Context) isDenial(one Claim) bool {
	switch c.r.Sense(c.Rd.Text, one.Hit, c.frames) {
	case "denied", "past", "elsewhere":
		return true
	}
	return false
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
