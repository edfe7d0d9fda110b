package analysis

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// span is a run of capitalised words that may be the name of somebody or something.
type span struct {
	text       string
	start, end int
}

// spans finds the names that a stretch of the body may hold: runs of capitalised words with what may be between them,
// without the ordinary words that a sentence begins with. Titles part them.
func (r *Rules) spans(rd *reading) []span {
	var all []span
	at := 0
	for _, t := range rd.titleList {
		all = r.spansBetween(all, rd.body, at, t.start)
		at = t.end
	}
	return r.spansBetween(all, rd.body, at, len(rd.body))
}

// spanFrom returns the first span that begins at the byte or behind it.
func spanFrom(spans []span, at int) (span, bool) {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].start >= at })
	if i == len(spans) {
		return span{}, false
	}
	return spans[i], true
}

func (r *Rules) spansBetween(all []span, text string, start, end int) []span {
	for at := nextCapital(text[:end], start); at >= 0; at = nextCapital(text[:end], at) {
		m := r.capitals.FindStringIndex(text[at:end])
		if m == nil {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
			continue
		}
		s := span{start: at, end: at + m[1]}
		at = s.end
		if s.start > 0 && insideWord(text, s.start) {
			continue
		}
		s.text = text[s.start:s.end]
		s = r.afterVerb(text, s)
		for _, trimmed := range r.trimSpan(s) {
			if strings.Contains(trimmed.text, " ") || !r.common[fold(trimmed.text)] || r.given[fold(trimmed.text)] {
				all = append(all, trimmed)
			}
		}
	}
	return all
}

// nextCapital returns where, from a byte on, a word begins that may be a name: with a capital, or with one behind
// digits or a small letter or two; -1 where none does. It is far quicker than the expression that decides.
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

// afterVerb takes the word off that begins a sentence, where it is one that texts about deals are full of: "Scartiamo
// Pontelungo".
func (r *Rules) afterVerb(text string, s span) span {
	word, rest, more := strings.Cut(s.text, " ")
	before := strings.TrimRight(text[:s.start], " \n")
	begins := before == "" || strings.ContainsAny(before[len(before)-1:], ".!?:;-)") || strings.HasSuffix(before, "¿") ||
		strings.HasSuffix(before, "¡")
	if word == "Mark" && more && begins && strings.HasPrefix(text[s.end:], " as ") {
		s.start += len(word) + 1
		s.text = rest
		return s
	}
	if more && begins && r.common[fold(word)] && !r.given[fold(word)] && !isConnector(firstWord(rest)) &&
		r.companyWords.exact(rest) != "company" {
		s.start += len(word) + 1
		s.text = rest
	}
	return s
}

// insideWord reports whether the letter at i goes on with a word: "fooBar", "ann@Acme".
func insideWord(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	return unicode.IsLetter(before) || unicode.IsDigit(before) || before == '@' || before == '_' || before == '#'
}

// trimSpan takes ordinary words off both ends. What is left is nothing, or one name.
func (r *Rules) trimSpan(s span) []span {
	for {
		first, rest, more := strings.Cut(s.text, " ")
		if !r.isOrdinary(first) && !isConnector(first) || more && (r.beginsName(first, rest) || r.isFirm(first, rest)) {
			break
		}
		if !more {
			return nil
		}
		s.start += len(s.text) - len(rest)
		s.text = rest
	}
	for {
		i := strings.LastIndexByte(s.text, ' ')
		last := s.text[i+1:]
		if i < 0 || !r.tail[fold(strings.Trim(last, ".,:;'’"))] && !isConnector(last) &&
			strings.Trim(last, "0123456789.,") != "" || r.endsName(s.text[:i], last) {
			break
		}
		s.text = s.text[:i]
	}
	s.text = r.withoutPlace(s.text)
	trimmed := r.withoutCase(strings.TrimRight(s.text, ".,'’-&"))
	s.text = strings.TrimSuffix(strings.TrimSuffix(trimmed, "'s"), "’s")
	s.end = s.start + len(s.text)
	if utf8.RuneCountInString(s.text) < 2 || strings.Trim(s.text, "0123456789., ") == "" {
		return nil
	}
	return []span{s}
}

// withoutPlace takes "di Bologna" off the end of a name.
func (r *Rules) withoutPlace(name string) string {
	words := strings.Fields(name)
	if n := len(words); n > 2 && r.places[fold(words[n-1])] && isConnector(words[n-2]) {
		return strings.Join(words[:n-2], " ")
	}
	return name
}

// beginsName tells an ordinary word that is a given name too: "Will Ashby", "Jan Hoffmann". In "Ben Deniz Arslan",
// which is Turkish, the first word says "I".
func (r *Rules) beginsName(first, rest string) bool {
	next := firstWord(rest)
	return r.given[fold(first)] && !r.isOrdinary(next) && (!strings.Contains(rest, " ") || !r.given[fold(next)])
}

// isFirm tells "Will & Ashby", where only the first word is an ordinary one.
func (r *Rules) isFirm(first, rest string) bool {
	second, ok := strings.CutPrefix(rest, "& ")
	return ok && !isConnector(first) && second != "" && !r.isOrdinary(firstWord(second))
}

// endsName tells an ordinary word that a name may well end with: "Parallax Health", "Omar Said".
func (r *Rules) endsName(before, last string) bool {
	section := r.companyWords.exact(last)
	return section == "company" || section == "investor" ||
		!strings.Contains(before, " ") && r.given[fold(before)] && !r.ordinary[fold(before)]
}

// withoutCase takes the endings off that Turkish joins to names with an apostrophe: "Tohumla'nın".
func (r *Rules) withoutCase(name string) string {
	i := strings.LastIndexAny(name, "'’")
	if i <= 0 {
		return name
	}
	_, size := utf8.DecodeRuneInString(name[i:])
	switch fold(name[i+size:]) {
	case "nin", "nun", "in", "un", "nın", "a", "e", "ya", "ye", "da", "de", "ta", "te", "dan", "den", "tan", "ten", "i",
		"u", "yi", "yu", "la", "le", "dir", "yiz", "iz":
		return name[:i]
	}
	return name
}

func (r *Rules) isOrdinary(word string) bool {
	folded := strings.ReplaceAll(fold(strings.Trim(word, ".,:;'’")), "’", "'")
	return isAmount(folded) || r.ordinary[folded] || r.ordinary[strings.TrimSuffix(strings.TrimSuffix(folded, "'s"), "’s")]
}

// isAmount distinguishes "9M" and "40k" from names that begin with a figure.
func isAmount(word string) bool {
	unit := strings.TrimLeft(word, "0123456789.,")
	return unit != word && len(unit) <= 3
}

func isConnector(word string) bool {
	switch word {
	case "&", "+", "de", "da", "di", "del", "della", "dos", "das", "do", "van", "von", "der", "den", "ter", "la", "le",
		"al", "el", "bin", "ben", "zu", "und", "and":
		return true
	}
	return false
}

// personness says how much a name looks like a person's, and how little like a company's: above 0 is a person.
func (r *Rules) personness(rd *reading, name string) int {
	if score, known := rd.persons[name]; known {
		return score
	}
	score := r.personScore(rd, name)
	if rd.persons != nil {
		rd.persons[name] = score
	}
	return score
}

func (r *Rules) personScore(rd *reading, name string) int {
	if pair := r.splitPair(rd, name); len(pair) > 1 {
		return 1
	}
	words := strings.Fields(name)
	if len(words) == 0 {
		return -9
	}
	score := 0
	first := fold(strings.Trim(words[0], ".'’"))
	if len(words) > 1 && (first == "dr" || first == "prof") {
		first, score = fold(words[1]), 2
	}
	if given, _, _ := strings.Cut(first, "-"); r.given[first] || r.given[given] {
		score += 3
	}
	switch n := len(words); {
	case n == 1:
		score -= 2
	case n <= 3:
		score++
	}
	for i, w := range words {
		folded := fold(strings.Trim(w, ".,"))
		switch section := r.companyWords.exact(folded); {
		case section == "investor", section == "legal" && i > 0, section == "company" && i > 0:
			score -= 4
		}
		if strings.ContainsAny(w, "&+0123456789") || isCamel(w) ||
			w == strings.ToUpper(w) && len(w) > 2 && !strings.HasSuffix(w, ".") {
			score -= 3
		}
	}
	return score + rd.personHints(name)
}

// isCamel tells "GridMint"; "McDonald" and "DeLuca" are names of people.
func isCamel(w string) bool {
	if strings.HasPrefix(w, "Mc") || strings.HasPrefix(w, "Mac") || strings.HasPrefix(w, "De") ||
		strings.HasPrefix(w, "Di") || strings.HasPrefix(w, "Van") {
		return false
	}
	previous := ' '
	for _, r := range w {
		if unicode.IsUpper(r) && unicode.IsLower(previous) {
			return true
		}
		previous = r
	}
	return false
}

// personHints weighs the addresses: a name in front of an "@" is a person's, one behind it a company's.
func (rd *reading) personHints(name string) int {
	score := 0
	if len(rd.address)+len(rd.linkOwners) == 0 {
		return 0
	}
	key, words := squeeze(name), localWords(name)
	for _, a := range rd.address {
		if a.label == key {
			score -= 4
		}
		if words.match(a.local) {
			score += 2
		}
	}
	for _, l := range rd.linkOwners {
		switch {
		case l.slug != "" && matchesSlug(name, l.slug):
			score += 3
		case l.slug == "" && l.label == key:
			score -= 4
		}
	}
	return max(-4, min(score, 4))
}

// squeeze returns the letters and digits of a name, folded.
func squeeze(name string) string {
	if isPlainASCII(name) {
		return squeezeASCII(name)
	}
	var out strings.Builder
	for _, r := range fold(name) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func squeezeASCII(name string) string {
	first := 0
	for first < len(name) && squeezed(name[first]) == name[first] {
		first++
	}
	if first == len(name) {
		return name
	}
	out := append(make([]byte, 0, len(name)), name[:first]...)
	for i := first; i < len(name); i++ {
		if c := squeezed(name[i]); c != 0 {
			out = append(out, c)
		}
	}
	return string(out)
}

// squeezed returns the small letter or digit of a character in ASCII, 0 for any other.
func squeezed(c byte) byte {
	switch {
	case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		return c
	case c >= 'A' && c <= 'Z':
		return c + 'a' - 'A'
	}
	return 0
}

// sameSqueezed reports whether two names in ASCII have the same letters and digits.
func sameSqueezed(a, b string) bool {
	for {
		a, b = fromSqueezed(a), fromSqueezed(b)
		if a == "" || b == "" {
			return a == b
		}
		if squeezed(a[0]) != squeezed(b[0]) {
			return false
		}
		a, b = a[1:], b[1:]
	}
}

// fromSqueezed cuts off what is no letter or digit at the beginning of a name in ASCII.
func fromSqueezed(name string) string {
	for name != "" && squeezed(name[0]) == 0 {
		name = name[1:]
	}
	return name
}
