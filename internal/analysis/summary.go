package analysis

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The summary is three sentences at most, none longer than this many characters.
const (
	mostSentences   = 3
	longestSentence = 320
)

// sentence is one that may go into the summary, and what it tells.
type sentence struct {
	text                    string
	at                      int
	what, traction, round   int
	short, fromDeck, hidden bool
}

func (s sentence) worth() int { return s.what + s.traction + s.round }

// summarize takes two or three sentences from the text and the deck: what the company does, how far it is, what it
// raises. They are the material's own; nothing is added.
func (r *Rules) summarize(rd *reading, in Input, name string, founders []Founder) string {
	all := r.sentences(rd, name)
	for _, d := range in.Documents {
		all = append(all, r.slideLines(d, name, len(all))...)
	}
	var chosen []sentence
	for _, quality := range []func(sentence) int{
		func(s sentence) int { return s.what }, func(s sentence) int { return s.traction }, func(s sentence) int { return s.round },
	} {
		if best := bestBy(all, chosen, quality); best >= 0 {
			chosen = append(chosen, all[best])
		}
	}
	for len(chosen) < 2 {
		best := bestBy(all, chosen, func(s sentence) int { return 1 + s.worth() - boolInt(s.short)*2 })
		if best < 0 {
			break
		}
		chosen = append(chosen, all[best])
	}
	if len(chosen) == 0 {
		return bareFacts(name, founders)
	}
	sort.SliceStable(chosen, func(i, j int) bool { return chosen[i].at < chosen[j].at })
	parts := make([]string, 0, mostSentences)
	for _, s := range chosen {
		parts = append(parts, ended(s.text))
	}
	return strings.Join(parts, " ")
}

// bareFacts stands in for a summary where the material has no sentence: the name and who is behind it, in no language.
func bareFacts(name string, founders []Founder) string {
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

// ended gives the sentence with a full stop, where it has no end of its own.
func ended(s string) string {
	last, _ := utf8.DecodeLastRuneInString(s)
	if unicode.IsLetter(last) && !isUnspaced(last) || unicode.IsDigit(last) || last == '%' || last == ')' {
		return s + "."
	}
	return s
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// bestBy gives the index of the sentence that is best by a quality and not chosen yet, -1 where none has it.
func bestBy(all, chosen []sentence, quality func(sentence) int) int {
	best, most := -1, 0
	for i, s := range all {
		taken := s.hidden
		for _, c := range chosen {
			taken = taken || c.text == s.text
		}
		if q := quality(s); !taken && q > most {
			best, most = i, q
		}
	}
	return best
}

// sentences reads those of the text that tell something; a description that a form asks for counts as one.
func (r *Rules) sentences(rd *reading, name string) []sentence {
	var all []sentence
	for _, f := range rd.fields {
		switch f.kind {
		case "description":
			all = append(all, r.judgeSentence(f.value, f.start, name, 3))
		case "round":
			all = append(all, r.judgeSentence(f.label+": "+f.value, f.start, name, 0))
		}
	}
	if rd.json || rd.isForm() {
		return all
	}
	for i := 0; i < len(rd.tokens); {
		last := i
		for last+1 < len(rd.tokens) && rd.tokens[last+1].sentence == rd.tokens[i].sentence {
			last++
		}
		text := rd.body[rd.tokens[i].start:sentenceEnd(rd.body, rd.tokens[last].end)]
		if !r.isContactLine(rd, text, rd.tokens[i].start) {
			all = append(all, r.judgeSentence(text, rd.tokens[i].start, name, 0))
		}
		i = last + 1
	}
	return all
}

// sentenceEnd takes what stands behind the last word into the sentence: punctuation, "€", " %".
func sentenceEnd(body string, end int) int {
	for i, r := range body[end:] {
		switch {
		case r == ' ' && strings.HasPrefix(body[end+i:], " %"):
		case unicode.IsSpace(r) || r == mask || strings.ContainsRune("([<\"“;,:", r):
			return end + i
		case strings.ContainsRune(".!?。！？", r):
			return end + i + utf8.RuneLen(r)
		}
	}
	return len(body)
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
	text = tidy(text)
	s := sentence{text: text, at: at, what: bonus, short: strings.Count(text, " ") < 4 && !isUnspacedText(text)}
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
	s.weighNumbers()
	if name != "" && strings.Contains(text, name) {
		s.what += 2
	}
	if s.short {
		s.what, s.traction = 0, s.traction/2
	}
	s.hidden = s.hidden || len(tokens) < 2 || r.mailWords.exact(text) != ""
	return s
}

// weighNumbers: a figure makes traction and a round credible, and their lack makes "growth" a mere word.
func (s *sentence) weighNumbers() {
	if hasDigit(s.text) {
		s.traction += boolInt(s.traction > 0) * 3
		s.round += boolInt(s.round > 0) * 3
		return
	}
	s.traction /= 2
}

func isUnspacedText(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return isUnspaced(first) && utf8.RuneCountInString(s) > 8
}

// tidy takes masks, labels of links and surplus spaces out of a sentence, and cuts it at a word when it is too long.
func tidy(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, string(mask), "")), " ")
	text = strings.NewReplacer(" .", ".", " ,", ",", "()", "", "<>", "", "[]", "").Replace(text)
	text = strings.Trim(withoutLabel(text), " ,:;-–—|*>•")
	if utf8.RuneCountInString(text) <= longestSentence {
		return text
	}
	runes := []rune(text)[:longestSentence]
	cut := string(runes)
	if i := strings.LastIndexByte(cut, ' '); i > longestSentence/2 {
		cut = cut[:i]
	}
	return cut + " …"
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

// slideLines reads the lines of a deck that tell something. Slides have no sentences: a line stands for one.
func (r *Rules) slideLines(d Document, name string, at int) []sentence {
	const mostPages, mostLines = 40, 400
	var all []sentence
	for i, page := range d.Pages {
		if i >= mostPages || len(all) >= mostLines {
			break
		}
		for line := range strings.Lines(page) {
			line = strings.TrimSpace(line)
			if n := strings.Count(line, " "); n < 3 && !isUnspacedText(line) && (n < 2 || !hasDigit(line)) || n > 60 {
				continue
			}
			s := r.judgeSentence(line, 1<<20+at+len(all), name, 0)
			s.what, s.traction, s.round = max(0, s.what-1), max(0, s.traction-1), max(0, s.round-1)
			s.fromDeck = true
			all = append(all, s)
		}
	}
	return all
}
