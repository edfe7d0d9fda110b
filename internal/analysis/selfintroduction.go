package analysis

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// afterOpening returns where a sentence begins to tell something: behind a greeting, and behind the words in which the
// writer says who they are. bare reports whether it says no more than that.
func (r *Rules) afterOpening(text, name string) (at int, bare bool) {
	tokens := tokenize(text)
	first := r.afterGreeting(text, tokens)
	if first == len(tokens) {
		return 0, false
	}
	if first > 0 {
		at = tokens[first].start
	}
	last := r.selfIntroduction(text, tokens, first, name)
	if last == 0 {
		return at, false
	}
	if i := strings.Index(text[at:], name); name != "" && i > 0 {
		rest := strings.TrimLeft(text[at+i+len(name):], " ")
		if mark, _ := utf8.DecodeRuneInString(rest); strings.ContainsRune(":(-–—", mark) {
			return at + i, false // "I'm Paulo, founder of Acme: chargers for houses"
		}
	}
	for i := last; i < len(tokens); i++ {
		if (tokens[i].clause != tokens[i-1].clause || isAnd(tokens[i-1].folded)) && r.saysWhat(tokens[i:]) {
			return tokens[i].start, false // "I'm Ann and we build sensors"
		}
	}
	return at, !r.saysWhat(tokens[last:])
}

// afterGreeting returns the number of the first word behind a greeting and the names in it.
func (r *Rules) afterGreeting(text string, tokens []token) int {
	const names = 4
	for _, h := range r.mailWords.find(tokens[:min(len(tokens), names)]) {
		if h.first != 0 || h.section != "greeting" {
			continue
		}
		for i := h.last; i < len(tokens) && i <= h.last+names; i++ {
			if tokens[i].clause != tokens[i-1].clause {
				return i
			}
			if r.selfIntroduction(text, tokens, i, "") > 0 {
				return i
			}
		}
	}
	return 0
}

// selfIntroduction returns the number of the word behind "I'm Ann" or "I am the CEO" at word i, 0 where nobody says so.
func (r *Rules) selfIntroduction(text string, tokens []token, i int, name string) int {
	const longest = 6
	end := 0
	for _, h := range r.people.find(tokens[i:min(len(tokens), i+longest)]) {
		if h.first == 0 && h.section == "self" {
			end = max(end, i+h.last)
		}
	}
	if end == 0 || end >= len(tokens) || tokens[end].clause != tokens[i].clause {
		return 0
	}
	next := text[tokens[end].start:]
	vague := slices.Contains([]string{"it", "its", "this"}, tokens[i].folded) && !r.given[tokens[end].folded]
	isCompany := name != "" && strings.HasPrefix(next, name)
	if c, _ := utf8.DecodeRuneInString(next); unicode.IsUpper(c) && !vague && !isCompany {
		return end + 1
	}
	for _, t := range r.titles(text, tokens) {
		if t.chief && t.start >= tokens[end].start && tokens[min(len(tokens)-1, end+longest)].end >= t.end {
			return end + 1
		}
	}
	return 0
}

// saysWhat reports whether a clause begins to say what a company does.
func (r *Rules) saysWhat(tokens []token) bool {
	const near = 4
	for _, h := range r.summary.find(tokens) {
		if h.section == "what" && h.first < near {
			return true
		}
	}
	return false
}
