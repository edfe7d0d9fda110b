package analysis

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostSentences is how many sentences a summary has at most: what the company does, how far it is, what it raises.
const mostSentences = 3

// sentence is one that may go into the summary, and what it tells.
type sentence struct {
	text                  string
	at                    int   // for the order of sentences: those of the text, then those of the deck
	where                 place // of the whole sentence
	what, traction, round int
	short, long, hidden   bool
}

func (s sentence) worth() int { return s.what + s.traction + s.round }

// summarize takes two or three sentences from the text and the deck: what the company does, how far it is, what it
// raises. They are the material's own; nothing is added.
func (r *Rules) summarize(rd *reading, in Input, name string, founders []founderFound) decision {
	all := r.sentences(rd, name)
	for i, d := range in.Documents {
		all = append(all, r.slideSentences(d, i+1, name, len(all))...)
	}
	chosen := choose(all)
	if len(chosen) == 0 {
		return decision{value: bareFacts(name, founders), at: anywhere(rd, in, name), features: features{"bare": 1}}
	}
	parts := make([]string, 0, mostSentences)
	d := decision{features: features{}}
	for _, s := range chosen {
		parts = append(parts, ended(s.text))
		d.at = d.at.or(s.where)
		d.features.set("what", s.what > 0)
		d.features.set("traction", s.traction > 0)
		d.features.set("round", s.round > 0)
		d.features.set("deck", s.where.doc > 0)
		d.features.set("idle", s.worth() == 0)
		d.features.set("long", s.long)
	}
	d.value = strings.Join(parts, " ")
	return d
}

// choose takes the best sentence for each of the three questions, and a second one where one answers them all.
func choose(all []sentence) []sentence {
	var chosen []sentence
	for _, quality := range []func(sentence) int{
		func(s sentence) int { return s.what }, func(s sentence) int { return s.traction }, func(s sentence) int { return s.round },
	} {
		if answered(chosen, quality) {
			continue
		}
		if best := bestBy(all, chosen, quality); best >= 0 {
			chosen = append(chosen, all[best])
		}
	}
	for len(chosen) < 2 {
		best := bestBy(all, chosen, func(s sentence) int {
			return s.worth() - boolInt(s.short)*2 + boolInt(len(chosen) == 0 || hasDigit(s.text))
		})
		if best < 0 {
			break
		}
		chosen = append(chosen, all[best])
	}
	sort.SliceStable(chosen, func(i, j int) bool { return chosen[i].at < chosen[j].at })
	return chosen
}

// answered reports whether a sentence that is chosen already says clearly what the next one would be taken for.
func answered(chosen []sentence, quality func(sentence) int) bool {
	const clearly = 5
	for _, s := range chosen {
		if quality(s) >= clearly {
			return true
		}
	}
	return false
}

// bareFacts is in for a summary where the material has no sentence: the name and who is behind it, in no language.
func bareFacts(name string, founders []founderFound) string {
	if name == "" || name == unnamed {
		return ""
	}
	people := make([]string, 0, len(founders))
	for _, f := range founders {
		people = append(people, strings.TrimSuffix(f.Name+", "+f.Title, ", "))
	}
	if len(people) == 0 {
		return ended(name)
	}
	return name + " (" + strings.Join(people, "; ") + ")."
}

// ended returns the sentence with a full stop, where it has no end of its own.
func ended(s string) string {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, `"”»)'`))
	switch {
	case strings.ContainsRune(".!?…。！？", last):
		return s
	case isUnspaced(last):
		return s + "。"
	}
	return s + "."
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// bestBy returns the index of the sentence that is best by a quality and not chosen yet, -1 where none has it. One that
// repeats what is chosen, as a deck does what the mail says, is not.
func bestBy(all, chosen []sentence, quality func(sentence) int) int {
	best, most := -1, 0
	for i, s := range all {
		if q := quality(s) - boolInt(s.long); !s.hidden && q > most && !repeats(chosen, s) {
			best, most = i, q
		}
	}
	return best
}

func repeats(chosen []sentence, s sentence) bool {
	for _, c := range chosen {
		if c.text == s.text || strings.Contains(squeeze(c.text), squeeze(s.text)) || strings.Contains(squeeze(s.text), squeeze(c.text)) {
			return true
		}
	}
	return false
}

// sentences reads those of the text that tell something; a description that a form asks for counts as one.
func (r *Rules) sentences(rd *reading, name string) []sentence {
	var all []sentence
	for _, f := range rd.fields {
		switch f.kind {
		case "description":
			all = append(all, r.answerSentences(rd, f, name)...)
		case "round":
			s := r.judgeSentence(f.label+": "+f.value, f.start, name, 0)
			s.where, s.round = rd.placeOfName(f.value, f.start), max(s.round, 3)
			all = append(all, s)
		}
	}
	if rd.json || rd.isForm() {
		return all
	}
	for _, part := range r.flow(rd.body) {
		for _, p := range sentencesIn(rd.body, part) {
			text := rd.body[p.start:p.end]
			if r.isContactLine(rd, text, p.start) {
				continue
			}
			skip, bare := r.afterOpening(text, name)
			p.start += skip
			s := r.judgeSentence(text[skip:], p.start, name, 0)
			s.where = p
			if skip > 0 {
				s.text = startUpper(s.text)
			}
			if bare {
				s.what, s.hidden = 0, s.hidden || s.traction+s.round == 0
			}
			all = append(all, s)
		}
	}
	return all
}

// answerSentences reads a description: its first sentence says what the company does.
func (r *Rules) answerSentences(rd *reading, f field, name string) []sentence {
	var all []sentence
	for i, p := range sentencesIn(f.value, place{end: len(f.value)}) {
		text := f.value[p.start:p.end]
		s := r.judgeSentence(text, f.start+p.start, name, 3*boolInt(i == 0))
		s.where = rd.placeOfName(text, f.start)
		all = append(all, s)
	}
	return all
}

// isContactLine tells lines of a signature: an address, a number, a name with a title, and no sentence.
func (r *Rules) isContactLine(rd *reading, text string, start int) bool {
	if strings.Contains(text, "@") && strings.Count(text, " ") < 6 || rd.hasPhone(start, start+len(text)) {
		return true
	}
	for _, p := range rd.people {
		if p.start == start && utf8.RuneCountInString(text) < len(p.name)+40 {
			return true
		}
	}
	return false
}

func (r *Rules) judgeSentence(text string, at int, name string, bonus int) sentence {
	text, long := tidy(text)
	s := sentence{text: text, at: at, what: bonus, long: long, short: strings.Count(text, " ") < 4 && !isUnspacedText(text)}
	if text == "" {
		s.hidden = true
		return s
	}
	tokens := tokenize(text)
	for _, h := range r.summary.find(tokens) {
		switch h.section {
		case "what":
			s.what += 2
		case "traction":
			s.traction += 2
		case "round":
			s.round += 2
		case "skip":
			s.hidden = s.hidden || len(tokens) < 10
		}
	}
	s.weighNumbers(tokens)
	if name != "" && strings.Contains(text, name) {
		s.what += 1 + boolInt(s.what > 0 || strings.ContainsAny(text, "(:")) + 2*boolInt(strings.Contains(text, name+":")) // "I'm Ann of Acme" tells nothing yet
	}
	if s.short {
		s.what, s.traction = 0, s.traction/2
	}
	s.hidden = s.hidden || len(tokens) < 2 || r.mailWords.exact(text) != ""
	return s
}

// weighNumbers: a figure makes traction and a round credible, and their lack makes "growth" a mere word.
func (s *sentence) weighNumbers(tokens []token) {
	if s.traction+s.round == 0 && countsSomething(tokens) {
		s.traction = 1
	}
	if hasDigit(s.text) {
		s.traction += boolInt(s.traction > 0) * 3
		s.round += boolInt(s.round > 0) * 3
		return
	}
	s.traction /= 2
}

// countsSomething distinguishes "210 carriers" and "EUR 420k" from years, dates and times of day.
func countsSomething(tokens []token) bool {
	for i, t := range tokens {
		n := strings.TrimLeft(t.folded, "0123456789")
		if n == t.folded || len(t.folded) == 4 && n == "" && (strings.HasPrefix(t.folded, "19") || strings.HasPrefix(t.folded, "20")) {
			continue
		}
		if n == "k" || n == "m" || n == "bn" || n == "" && i+1 < len(tokens) && tokens[i+1].clause == t.clause && utf8.RuneCountInString(tokens[i+1].folded) > 3 && !hasDigit(tokens[i+1].folded) {
			return true
		}
	}
	return false
}

func isUnspacedText(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return isUnspaced(first) && utf8.RuneCountInString(s) > 8
}

// longestSentence is how many characters of a sentence are taken; a longer one ends at a clause.
const longestSentence = 320

// tidy takes masks, labels of links and surplus spaces out of a sentence, and ends it at a clause when it is too long.
func tidy(text string) (tidied string, long bool) {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, string(mask), "")), " ")
	text = strings.NewReplacer(" .", ".", " ,", ",", "()", "", "<>", "", "[]", "").Replace(text)
	text = strings.TrimSpace(strings.Trim(withoutLabel(text), " ,:;-–—|*>•·▪◦●➤✓"))
	if utf8.RuneCountInString(text) <= longestSentence {
		return text, false
	}
	cut := string([]rune(text)[:longestSentence])
	for _, ends := range []string{";；", "。.!?", ",，、", "–—"} {
		if i := strings.LastIndexAny(cut, ends); i > longestSentence/3 {
			return strings.TrimRight(cut[:i], " ,;:–—-"), true
		}
	}
	if i := strings.LastIndexByte(cut, ' '); i > longestSentence/2 {
		cut = cut[:i]
	}
	return cut + " …", true
}

// withoutLabel takes "Deck:" off the front of a sentence whose link is gone.
func withoutLabel(text string) string {
	label, rest, ok := strings.Cut(text, ":")
	switch fold(strings.TrimSpace(label)) {
	case "deck", "pitch deck", "link", "deck link", "website", "site", "our deck":
	default:
		return text
	}
	if !ok {
		return text
	}
	return strings.TrimPrefix(strings.TrimLeft(rest, " -–—,;"), "and ")
}

// startUpper writes the first letter as that of a sentence.
func startUpper(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

func startsLower(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(first)
}
