package analysis

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis/rank"
)

// loadConcepts reads what a text can speak of: sections as in the other lexicons, with phrases of many languages
// between commas.
func loadConcepts() *lexicon {
	x := newLexicon()
	for _, l := range loadLines("concepts.lst") {
		for text := range strings.SplitSeq(l.text, ", ") {
			for _, form := range formsOf(text) {
				x.add(l.sections, form)
			}
		}
	}
	return x
}

// formsOf returns a phrase as texts write it: scripts that join particles to a word leave its end open, and two of them
// put articles and prepositions before it.
func formsOf(text string) []string {
	first, _ := utf8.DecodeRuneInString(text)
	var before []string
	switch {
	case unicode.Is(unicode.Arabic, first):
		before = []string{"", "ال", "و", "وال", "بال", "لل", "ب", "ل", "ف"}
	case unicode.Is(unicode.Hebrew, first):
		before = []string{"", "ה", "ב", "ל", "מ", "ו", "ש", "כ", "וה", "שה"}
	case unicode.In(first, unicode.Hangul, unicode.Devanagari):
		before = []string{""}
	default:
		return []string{text}
	}
	forms := make([]string, 0, len(before))
	for _, particle := range before {
		forms = append(forms, particle+strings.TrimSuffix(text, stem)+stem)
	}
	return forms
}

// The parts of a text that tell most of what it is and of what is new.
const (
	openingWords = 25
	closingWords = 40
)

// conceptFeatures adds what the text speaks of, by where: at its beginning, at its end, in what it quotes; and what
// comes together in a sentence.
func conceptFeatures(v *rank.Vector, rd *reading) {
	seen := map[rank.Key]float64{}
	add := func(key rank.Key, worth float64) { // the second time says less
		seen[key]++
		v.AddKey(key, worth/(seen[key]*seen[key]))
	}
	var sentence []string
	number := -1
	for _, h := range rd.conceptHits {
		t := rd.tokens[h.first]
		zone := "speaks of "
		if rd.isQuoted(t.start) {
			zone = "quotes "
		}
		key := rank.NewKey(zone).Append(h.section)
		add(key, 1)
		if h.first < openingWords {
			add(key.Append(" at first"), 0.7)
		}
		if h.first >= len(rd.tokens)-closingWords {
			add(key.Append(" at last"), 0.7)
		}
		if t.sentence != number {
			sentence, number = sentence[:0], t.sentence
		}
		if slices.Contains(sentence, h.section) {
			continue
		}
		for _, other := range sentence {
			a, b := min(other, h.section), max(other, h.section)
			add(rank.NewKey(zone).Append(a).Append(" with ").Append(b), 0.7)
		}
		const most = 6
		if len(sentence) < most {
			sentence = append(sentence, h.section)
		}
	}
}

// spokenOf returns where the text speaks of each concept: anywhere, in what is new, and in its last words.
func spokenOf(rd *reading) map[string][]string {
	where := map[string][]string{}
	for _, h := range rd.conceptHits {
		all := appendNew(where[h.section], "holds")
		if !rd.isQuoted(rd.tokens[h.first].start) {
			all = appendNew(all, "newly holds")
		}
		if h.first >= len(rd.tokens)-closingWords {
			all = appendNew(all, "ends with")
		}
		where[h.section] = all
	}
	return where
}

// conceptsOf returns the concepts that a name of a stage holds.
func (r *Rules) conceptsOf(name string) []string {
	var all []string
	for _, h := range r.concepts.find(tokenize(name)) {
		all = appendNew(all, h.section)
	}
	return all
}

// conceptsNear returns what the sentence around some words speaks of, and what stands right beside them.
func conceptsNear(rd *reading, h hit) []string {
	const widest, beside, most = 20, 3, 8
	hits := nearby(rd.conceptHits, h.first-widest, h.last+widest)
	var near []string
	for _, one := range hits {
		if len(near) == most {
			break
		}
		if rd.tokens[one.first].sentence != rd.tokens[h.first].sentence || one.first < h.last && one.last > h.first {
			continue
		}
		switch {
		case one.last <= h.first && h.first-one.last < beside:
			near = appendNew(near, one.section+" right before")
		case one.first >= h.last && one.first-h.last < beside:
			near = appendNew(near, one.section+" right behind")
		default:
			near = appendNew(near, one.section+" in the sentence")
		}
	}
	return near
}
