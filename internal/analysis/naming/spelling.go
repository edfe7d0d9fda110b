package naming

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"

	"dealflow/internal/analysis/clean"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/text"
)

// spelled returns the index of another spelling of the chosen name that should replace it, or chosen if there is none.
// A chosen name that is a host is replaced in any case, unless its label is an ordinary word; any other name only if
// the text does not have that name as a separate word. The other spelling must be a separate word in the text, not all
// in capitals unless spellsOut reports true for it; in a text without capitals it must differ by more than capitals. Of
// several, spelled returns the likeliest by p. It finds "heycar" for "Heycar" of heycar.com, "Sun King" for "Sunking"
// of sunking.com, "Salt & Pine" for "Saltandpine" of saltandpine.co, "Qonto" for "qonto.com", and "Larder" for
// "Getlarder" of getlarder.com.
func (r *Namer) spelled(rd *Subject, all []*Candidate, p []float64, chosen int) int {
	key := all[chosen].Key
	isHost := false
	if label := r.labelOf(rd, all[chosen].Text); label != "" && !r.words.Ordinary[label] {
		key, isHost = label, true
	}
	if !isHost && isOwnWord(rd.Body, all[chosen].Text) {
		return chosen
	}
	best, plain := -1, isPlain(rd.Body, rd.Tokens)
	for i, one := range all {
		if !isOfLabel(one, key) || plain && strings.EqualFold(one.Text, all[chosen].Text) {
			continue
		}
		if (best < 0 || p[i] > p[best]) && isOwnWord(rd.Body, one.Text) {
			best = i
		}
	}
	if best < 0 {
		return chosen
	}
	return best
}

// isOfLabel reports whether a domain's label is derived from a name. Names all in capitals, as headings are, count only
// if the label has a word for their "&" or "+".
func isOfLabel(one *Candidate, label string) bool {
	return isLabel(one, label) && !shouts(one.Text) || spellsOut(label, one.Text)
}

// spellsOut reports whether a domain's label has a word for the "&" or the "+" of a name: "mamaandi" for "Mama & I",
// "pennapiu" for "PENNA+".
func spellsOut(label, name string) bool {
	spells := func(sign string, words []string) bool {
		return strings.Contains(name, sign) && slices.ContainsFunc(words, func(word string) bool {
			return lexicon.Squeeze(strings.ReplaceAll(name, sign, word)) == label
		})
	}
	return spells("&", lexicon.List("joining words")) || spells("+", lexicon.List("words for plus"))
}

// calledFor returns a domain's label without a word such as "get" before the name, "larder" for "getlarder"; "" for a
// label that begins with no such word.
func calledFor(label string) string {
	const shortest = 4
	for _, word := range lexicon.List("beginnings of labels") {
		if name, ok := strings.CutPrefix(label, word); ok && len(name) >= shortest {
			return name
		}
	}
	return ""
}

// bare returns a name without its legal form, and without particles and words that the text joins to it: "까치뮤직" for
// "까치뮤직은", "Moonjar" for "Moonjar's Hyun-woo Baek". In a text without capitals it removes a dot at the end, which ends
// a sentence there although a small letter follows.
func (r *Namer) bare(rd *Subject, name string) string {
	owner, thing, owned := strings.Cut(strings.ReplaceAll(name, "’", "'"), "'s ")
	if owned && r.isPerson(rd, thing) {
		return owner
	}
	name = r.withoutForm(name)
	if bare, isDotted := strings.CutSuffix(name, "."); isDotted && !strings.Contains(bare, ".") &&
		isPlain(rd.Body, rd.Tokens) {
		return bare
	}
	if lexicon.HasHangul(name) {
		for _, end := range lexicon.List("Korean particles after no name") {
			if bare, ok := strings.CutSuffix(name, end); ok && utf8.RuneCountInString(bare) > 1 {
				return bare
			}
		}
	}
	return bareTopic(name)
}

// isPerson reports whether a text looks like a person's first and last name, or is the name of somebody whom the text
// mentions.
func (r *Namer) isPerson(rd *Subject, s string) bool {
	return strings.Contains(s, " ") && r.people.Personness(rd.Names, s) > 1 || slices.ContainsFunc(rd.Mentions,
		func(m people.Mention) bool { return people.SamePerson(m.Name, s) })
}

// labelOf returns the label of a name that is a host: "qonto" for "qonto.com". It returns "" for any other name. A name
// with an unknown top-level domain is a host only if an email address in the text has it.
func (r *Namer) labelOf(rd *Subject, name string) string {
	lower := strings.ToLower(name)
	if r.domain.FindString(lower) != lower {
		return ""
	}
	suffix, known := publicsuffix.PublicSuffix(lower)
	isAddress := func(a text.Address) bool { return strings.HasSuffix(a.Email, "@"+lower) }
	if !known && !slices.ContainsFunc(rd.Addresses, isAddress) || clean.IsFileExtension(suffix) {
		return ""
	}
	return links.DomainLabel(lower)
}

// shouts reports whether a name is all in capitals, as headings are.
func shouts(name string) bool { return lexicon.IsUpper(name) && !lexicon.IsLower(name) }

// isOwnWord reports whether a text has a name, spelled exactly so, as a separate word, outside of addresses and longer
// words.
func isOwnWord(body, name string) bool {
	for at := 0; ; {
		i := strings.Index(body[at:], name)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(name)
		if !sticks(body[:start], false) && !sticks(body[end:], true) {
			return true
		}
		at = end
	}
}

// sticks reports whether rest makes a name beside it part of an address or of a longer word. rest is the text after the
// name if behind is true, else the text before it.
func sticks(rest string, behind bool) bool {
	decode := utf8.DecodeLastRuneInString
	if behind {
		decode = utf8.DecodeRuneInString
	}
	r, size := decode(rest)
	if size == 0 || !strings.ContainsRune("@.-_/", r) {
		return size > 0 && lexicon.IsWordRune(r) && !lexicon.IsUnspaced(r)
	}
	if behind {
		rest = rest[size:]
	} else {
		rest = rest[:len(rest)-size]
	}
	next, _ := decode(rest)
	return r == '@' || lexicon.IsWordRune(next)
}
