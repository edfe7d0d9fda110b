package text

import (
	"slices"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/rank"
)

// The number of words at the beginning of a text that say most about its kind, and the number at its end that say most
// about what is new.
const (
	openingWords = 25
	closingWords = 40
)

// ConceptFeatures adds to v a feature for each concept that the text mentions, such as "invoice", under another name if
// the concept is in quoted mail, and further features if it is near the beginning or near the end. It also adds a
// feature for each pair of concepts in a sentence; of a sentence with many concepts, for the pairs with one of the
// first six. A feature that occurs again counts less each time.
func ConceptFeatures(v *rank.Vector, rd *Text) {
	seen := map[rank.Key]float64{}
	add := func(key rank.Key, worth float64) { // the second time says less
		seen[key]++
		v.AddKey(key, worth/(seen[key]*seen[key]))
	}
	var sentence []string
	number := -1
	for _, h := range rd.ConceptHits {
		t := rd.Tokens[h.First]
		zone := "speaks of "
		if rd.IsQuoted(t.Start) {
			zone = "quotes "
		}
		key := rank.NewKey(zone).Append(h.Section)
		add(key, 1)
		if h.First < openingWords {
			add(key.Append(" at first"), 0.7)
		}
		if h.First >= len(rd.Tokens)-closingWords {
			add(key.Append(" at last"), 0.7)
		}
		if t.Sentence != number {
			sentence, number = sentence[:0], t.Sentence
		}
		if slices.Contains(sentence, h.Section) {
			continue
		}
		for _, other := range sentence {
			a, b := min(other, h.Section), max(other, h.Section)
			add(rank.NewKey(zone).Append(a).Append(" with ").Append(b), 0.7)
		}
		const most = 6
		if len(sentence) < most {
			sentence = append(sentence, h.Section)
		}
	}
}

// SpokenOf returns, by concept, which parts of the text mention it: "holds" for any part, "newly holds" for a part
// outside of quoted mails, "ends with" for the last closingWords words.
func SpokenOf(rd *Text) map[string][]string {
	where := map[string][]string{}
	for _, h := range rd.ConceptHits {
		all := lexicon.AppendNew(where[h.Section], "holds")
		if !rd.IsQuoted(rd.Tokens[h.First].Start) {
			all = lexicon.AppendNew(all, "newly holds")
		}
		if h.First >= len(rd.Tokens)-closingWords {
			all = lexicon.AppendNew(all, "ends with")
		}
		where[h.Section] = all
	}
	return where
}

// nearConcept is a concept near a hit, such as "invoice", and its position: " right before", " right behind" or " in
// the sentence".
type nearConcept struct{ Section, Where string }

// ConceptsNear returns the other concepts in the sentence of a hit that are at most about 20 words away, the first
// eight of them.
func ConceptsNear(rd *Text, h lexicon.Hit) []nearConcept {
	const widest, beside, most = 20, 3, 8
	hits := lexicon.Nearby(rd.ConceptHits, h.First-widest, h.Last+widest)
	var near []nearConcept
	for _, one := range hits {
		if len(near) == most {
			break
		}
		if rd.Tokens[one.First].Sentence != rd.Tokens[h.First].Sentence || one.First < h.Last && one.Last > h.First {
			continue
		}
		found := nearConcept{one.Section, " in the sentence"}
		switch {
		case one.Last <= h.First && h.First-one.Last < beside:
			found.Where = " right before"
		case one.First >= h.Last && one.First-h.Last < beside:
			found.Where = " right behind"
		}
		if !slices.Contains(near, found) {
			near = append(near, found)
		}
	}
	return near
}
