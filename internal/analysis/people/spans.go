package people

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// spans returns the parts of the body that may be names: runs of capitalised words between titles, without the
// ordinary words that a sentence begins with.
func (r *Finder) spans(rd *Names) []Span {
	var all []Span
	at := 0
	for _, t := range rd.Titles {
		all = r.SpansBetween(all, rd.Body, at, t.Start)
		at = t.End
	}
	return r.SpansBetween(all, rd.Body, at, len(rd.Body))
}

// spanFrom returns the first span that begins at byte at or later, and whether there is one.
func spanFrom(spans []Span, at int) (Span, bool) {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].Start >= at })
	if i == len(spans) {
		return Span{}, false
	}
	return spans[i], true
}

// SpansBetween appends to the slice all the spans of text[start:end] that may be names, and returns the slice. It skips
// capitals inside words, and single words that are frequent in texts about deals, unless they are given names.
func (r *Finder) SpansBetween(all []Span, text string, start, end int) []Span {
	for at := nextCapital(text[:end], start); at >= 0; at = nextCapital(text[:end], at) {
		m := r.capitals.FindStringIndex(text[at:end])
		if m == nil {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
			continue
		}
		s := Span{Start: at, End: at + m[1]}
		at = s.End
		if s.Start > 0 && lexicon.InsideWord(text, s.Start) {
			continue
		}
		s.Text = text[s.Start:s.End]
		s = r.afterVerb(text, s)
		for _, trimmed := range r.trimSpan(s) {
			if strings.Contains(trimmed.Text, " ") || !r.words.Common[lexicon.Fold(trimmed.Text)] ||
				r.words.Given[lexicon.Fold(trimmed.Text)] {
				all = append(all, trimmed)
			}
		}
	}
	return all
}

// nextCapital returns the first byte, at from or after it, at which a name may begin: with a capital, or with digits or
// one or two lower-case letters before a capital; -1 for none. That byte may be inside a word. It avoids most calls of
// the slower regular expression.
func nextCapital(text string, from int) int {
	for at := from; at < len(text); {
		first, size := utf8.DecodeRuneInString(text[at:])
		next := at + size
		switch {
		case unicode.IsUpper(first):
			return at
		case first >= '0' && first <= '9':
			for next < len(text) && text[next] >= '0' && text[next] <= '9' {
				next++
			}
			if c, _ := utf8.DecodeRuneInString(text[next:]); unicode.IsUpper(c) {
				return at
			}
		case unicode.IsLower(first):
			second, size := utf8.DecodeRuneInString(text[next:])
			third, _ := utf8.DecodeRuneInString(text[next+size:])
			if unicode.IsUpper(second) || unicode.IsLower(second) && unicode.IsUpper(third) {
				return at
			}
		}
		at = next
	}
	return -1
}

// afterVerb returns a span without its first word if that word begins a sentence and is frequent in texts about deals:
// "Pontelungo" for "Scartiamo Pontelungo". It also removes the first word of "Mark Acme as".
func (r *Finder) afterVerb(text string, s Span) Span {
	word, rest, more := strings.Cut(s.Text, " ")
	before := strings.TrimRight(text[:s.Start], " \n")
	begins := before == "" || strings.ContainsAny(before[len(before)-1:], ".!?:;-)") || strings.HasSuffix(before, "¿") ||
		strings.HasSuffix(before, "¡")
	if word == "Mark" && more && begins && strings.HasPrefix(text[s.End:], " as ") {
		s.Start += len(word) + 1
		s.Text = rest
		return s
	}
	if more && begins && r.words.Common[lexicon.Fold(word)] && !r.words.Given[lexicon.Fold(word)] &&
		!lexicon.IsConnector(lexicon.FirstWord(rest)) &&
		r.words.Company.Exact(rest) != "company" {
		s.Start += len(word) + 1
		s.Text = rest
	}
	return s
}

// trimSpan returns a span without the ordinary words at both ends, and without a place, a Turkish ending or "'s" at its
// end. It returns nil if fewer than two characters, or only figures, are left.
func (r *Finder) trimSpan(s Span) []Span {
	for {
		first, rest, more := strings.Cut(s.Text, " ")
		if !r.words.IsOrdinary(first) && !lexicon.IsConnector(first) ||
			more && (r.beginsName(first, rest) || r.isFirm(first, rest)) {
			break
		}
		if !more {
			return nil
		}
		s.Start += len(s.Text) - len(rest)
		s.Text = rest
	}
	for {
		i := strings.LastIndexByte(s.Text, ' ')
		if i < 0 || !r.isTail(s.Text[i+1:]) || r.endsName(s.Text[:i], s.Text[i+1:]) {
			break
		}
		s.Text = s.Text[:i]
	}
	s.Text = r.withoutPlace(s.Text)
	trimmed := r.withoutCase(strings.TrimRight(s.Text, ".,'’-&"))
	s.Text = strings.TrimSuffix(strings.TrimSuffix(trimmed, "'s"), "’s")
	s.End = s.Start + len(s.Text)
	if utf8.RuneCountInString(s.Text) < 2 || strings.Trim(s.Text, "0123456789., ") == "" {
		return nil
	}
	return []Span{s}
}

// isTail reports whether a word is a figure, or one with which no name ends.
func (r *Finder) isTail(word string) bool {
	return r.words.Tail[lexicon.Fold(strings.Trim(word, ".,:;'’"))] || lexicon.IsConnector(word) ||
		strings.Trim(word, "0123456789.,") == ""
}

// withoutPlace returns a name without a place such as "di Bologna" at its end. A name of one or two words is unchanged.
func (r *Finder) withoutPlace(name string) string {
	words := strings.Fields(name)
	if n := len(words); n > 2 && r.words.Places[lexicon.Fold(words[n-1])] && lexicon.IsConnector(words[n-2]) {
		return strings.Join(words[:n-2], " ")
	}
	return name
}

// beginsName reports whether the ordinary word first is used as a given name before rest, as in "Will Ashby" and "Jan
// Hoffmann". In "Ben Deniz Arslan" it is not: in Turkish, "Ben" is "I".
func (r *Finder) beginsName(first, rest string) bool {
	next := lexicon.FirstWord(rest)
	return r.words.Given[lexicon.Fold(first)] && !r.words.IsOrdinary(next) &&
		(!strings.Contains(rest, " ") || !r.words.Given[lexicon.Fold(next)])
}

// isFirm reports whether the ordinary word first and rest are the name of a firm, as in "Will & Ashby".
func (r *Finder) isFirm(first, rest string) bool {
	second, ok := strings.CutPrefix(rest, "& ")
	return ok && !lexicon.IsConnector(first) && second != "" && !r.words.IsOrdinary(lexicon.FirstWord(second))
}

// endsName reports whether the ordinary word last may end a name that begins with before, as in "Parallax Health" and
// "Omar Said".
func (r *Finder) endsName(before, last string) bool {
	section := r.words.Company.Exact(last)
	return section == "company" || section == "investor" ||
		!strings.Contains(before, " ") && r.words.Given[lexicon.Fold(before)] && !r.words.Ordinary[lexicon.Fold(before)]
}

// withoutCase returns a name without the ending that Turkish joins to it by an apostrophe: "Tohumla" for
// "Tohumla'nın".
func (r *Finder) withoutCase(name string) string {
	i := strings.LastIndexAny(name, "'’")
	if i <= 0 {
		return name
	}
	_, size := utf8.DecodeRuneInString(name[i:])
	if lexicon.In("Turkish cases", lexicon.Fold(name[i+size:])) {
		return name[:i]
	}
	return name
}

// Personness returns how much more a name looks like a person's than like a company's: above 0 for a person. It stores
// the result in rd, so rd must not be used by several goroutines at once.
func (r *Finder) Personness(rd *Names, name string) int {
	if score, known := rd.persons[name]; known {
		return score
	}
	score := r.personScore(rd, name)
	if rd.persons != nil {
		rd.persons[name] = score
	}
	return score
}

func (r *Finder) personScore(rd *Names, name string) int {
	if pair := r.splitPair(rd, name); len(pair) > 1 {
		return 1
	}
	words := strings.Fields(name)
	if len(words) == 0 {
		return -9
	}
	score := 0
	first := lexicon.Fold(strings.Trim(words[0], ".'’"))
	if len(words) > 1 && (first == "dr" || first == "prof") {
		first, score = lexicon.Fold(words[1]), 2
	}
	if given, _, _ := strings.Cut(first, "-"); r.words.Given[first] || r.words.Given[given] {
		score += 3
	}
	switch n := len(words); {
	case n == 1:
		score -= 2
	case n <= 3:
		score++
	}
	for i, w := range words {
		score -= r.companyScore(w, i == 0)
	}
	return score + personHints(rd.Text, name)
}

// companyScore returns how much a word of a name looks like a word in names of companies, from 0 to 7. first says that
// the word is the first one of the name: there, legal forms and words such as "Labs" do not count.
func (r *Finder) companyScore(word string, first bool) int {
	score := 0
	switch section := r.words.Company.Exact(lexicon.Fold(strings.Trim(word, ".,"))); {
	case section == "investor", !first && (section == "legal" || section == "company"):
		score += 4
	}
	if strings.ContainsAny(word, "&+0123456789") || IsCamel(word) ||
		lexicon.IsUpper(word) && len(word) > 2 && !strings.HasSuffix(word, ".") {
		score += 3
	}
	return score
}

// IsCamel reports whether a word has a capital right after a lower-case letter, as "GridMint" has. A capital after
// "Mc", "Mac", "De", "Di" or "Van" at the beginning does not count, as in "McDonald" and "DeLuca", which are names of
// people.
func IsCamel(w string) bool {
	if !hasInnerCapital(w) {
		return false
	}
	for _, particle := range lexicon.List("family name beginnings") {
		rest, found := strings.CutPrefix(w, particle)
		if first, _ := utf8.DecodeRuneInString(rest); found && unicode.IsUpper(first) {
			w = rest
			break
		}
	}
	return hasInnerCapital(w)
}

// hasInnerCapital reports whether a word has a capital right after a lower-case letter.
func hasInnerCapital(w string) bool {
	previous := ' '
	for _, r := range w {
		if unicode.IsUpper(r) && unicode.IsLower(previous) {
			return true
		}
		previous = r
	}
	return false
}

// personHints returns the points, from -4 to 4, that addresses and links add to the Personness of a name: a name before
// an "@" is a person's, a name after it a company's.
func personHints(rd *text.Text, name string) int {
	score := 0
	if len(rd.Addresses)+len(rd.Owners) == 0 {
		return 0
	}
	key, words := lexicon.Squeeze(name), WordsOf(name)
	for _, a := range rd.Addresses {
		if a.Label == key {
			score -= 4
		}
		if words.Match(a.Parts) {
			score += 2
		}
	}
	for _, l := range rd.Owners {
		switch {
		case l.Slug != "" && MatchesSlug(name, l.Slug):
			score += 3
		case l.Slug == "" && l.Label == key:
			score -= 4
		}
	}
	return max(-4, min(score, 4))
}
