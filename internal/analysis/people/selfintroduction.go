package people

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
)

// AfterOpening returns the byte at which a sentence begins to say something about the company, whose name is name. It
// skips a greeting. It also skips words in which the writer says who they are, if a later clause says what the company
// does, or if a colon, bracket or dash is after the company's name. bare reports whether the writer says who they are,
// and the rest does not say what the company does.
func (r *Finder) AfterOpening(text, name string) (at int, bare bool) {
	tokens := lexicon.Tokenize(text)
	first := r.afterGreeting(text, tokens)
	if first == len(tokens) {
		return 0, false
	}
	if first > 0 {
		at = tokens[first].Start
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
		if (tokens[i].Clause != tokens[i-1].Clause || IsAnd(tokens[i-1].Folded)) && r.saysWhat(tokens[i:]) {
			return tokens[i].Start, false // "I'm Ann and we build sensors"
		}
	}
	return at, !r.saysWhat(tokens[last:])
}

// afterGreeting returns the index of the first token after a greeting at the beginning of the text and the names in it.
// It returns 0 if there is no greeting, or if neither a new clause nor "I am Ann" follows it within four words.
func (r *Finder) afterGreeting(text string, tokens []lexicon.Token) int {
	const names = 4
	for _, h := range r.words.Mail.Find(tokens[:min(len(tokens), names)]) {
		if h.First != 0 || h.Section != "greeting" {
			continue
		}
		for i := h.Last; i < len(tokens) && i <= h.Last+names; i++ {
			if tokens[i].Clause != tokens[i-1].Clause {
				return i
			}
			if r.selfIntroduction(text, tokens, i, "") > 0 {
				return i
			}
		}
	}
	return 0
}

// selfIntroduction returns the index of the second token after "I am", if token i begins a phrase such as "I'm Ann" or
// "I am the CEO", else 0. name is the company's, which is not taken for the writer's; "" if it is unknown.
func (r *Finder) selfIntroduction(text string, tokens []lexicon.Token, i int, name string) int {
	const longest = 6
	end := r.selfEnd(tokens, i, longest)
	if end == 0 || end >= len(tokens) || tokens[end].Clause != tokens[i].Clause {
		return 0
	}
	next := text[tokens[end].Start:]
	vague := slices.Contains(lexicon.List("words for things"), tokens[i].Folded) && !r.words.Given[tokens[end].Folded]
	isCompany := name != "" && strings.HasPrefix(next, name)
	if c, _ := utf8.DecodeRuneInString(next); unicode.IsUpper(c) && !vague && !isCompany {
		return end + 1
	}
	for _, t := range r.titles(text, tokens) {
		if t.Chief && t.Start >= tokens[end].Start && tokens[min(len(tokens)-1, end+longest)].End >= t.End {
			return end + 1
		}
	}
	return 0
}

// selfEnd returns the index of the token after a phrase such as "I am" or "my name is" that begins at token i and has
// at most longest tokens; 0 if there is none. If several phrases match, the longest one counts.
func (r *Finder) selfEnd(tokens []lexicon.Token, i, longest int) int {
	end := 0
	for _, h := range r.words.People.Find(tokens[i:min(len(tokens), i+longest)]) {
		if h.First == 0 && h.Section == "self" {
			end = max(end, i+h.Last)
		}
	}
	return end
}

// saysWhat reports whether a clause says, in a phrase that begins within its first four words, what a company does.
func (r *Finder) saysWhat(tokens []lexicon.Token) bool {
	const near = 4
	for _, h := range r.words.Summary.Find(tokens) {
		if h.Section == "what" && h.First < near {
			return true
		}
	}
	return false
}
