package summary

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/evidence"
	"dealflow/internal/analysis/founders"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/naming"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/text"
)

// Writer writes summaries. It is built once and may be used by many goroutines.
type Writer struct {
	words  *lexicon.Words
	text   *text.Reader
	people *people.Finder
}

// NewWriter returns a Writer that looks words up in the lexicon, splits texts with the reader, and finds introductions
// of the writer with the finder.
func NewWriter(words *lexicon.Words, reader *text.Reader, finder *people.Finder) *Writer {
	return &Writer{words: words, text: reader, people: finder}
}

// mostSentences is the most sentences of a summary: one each on what the company does, how far it is, and what it
// raises.
const mostSentences = 3

// sentence is a sentence that may go into the summary, with its ratings: how clearly it says what the company does, how
// far it is, and what it raises.
type sentence struct {
	text                  string
	at                    int       // for the order of sentences: those of the text, then those of the deck
	where                 text.Span // of the whole sentence
	what, traction, round int
	short, long, hidden   bool // of few words; cut by text.Tidy; not to be chosen
}

func (s sentence) worth() int { return s.what + s.traction + s.round }

// Summarize returns, as the Value of a decision, up to three sentences of the text and the documents: what the company
// does, how far it is, what it raises. It shortens long sentences, joins short points of slides, and adds full stops,
// but no words. If no sentence is fit, Value is the name and the founders; "" if the name is unknown too. Confidence is
// not set.
func (r *Writer) Summarize(rd *people.Cast, in analysis.Input, name string,
	founders []founders.Found,
) evidence.Decision {
	all := r.sentences(rd, name)
	for i, d := range in.Documents {
		all = append(all, r.slideSentences(d, i+1, name, len(all))...)
	}
	chosen := choose(all)
	if len(chosen) == 0 {
		return evidence.Decision{
			Value: bareFacts(name, founders), At: evidence.Anywhere(rd.Text, in, name),
			Features: evidence.Features{"bare": 1},
		}
	}
	parts := make([]string, 0, mostSentences)
	d := evidence.Decision{Features: evidence.Features{}}
	for _, s := range chosen {
		parts = append(parts, text.Ended(s.text))
		d.At = d.At.Or(s.where)
		d.Features.Set("what", s.what > 0)
		d.Features.Set("traction", s.traction > 0)
		d.Features.Set("round", s.round > 0)
		d.Features.Set("deck", s.where.Doc > 0)
		d.Features.Set("idle", s.worth() == 0)
		d.Features.Set("long", s.long)
	}
	d.Value = strings.Join(parts, " ")
	return d
}

// choose returns up to three sentences, in the order of the text and deck: the best on what the company does, the best
// on how far it is, and the best on what it raises. It leaves out a subject that a sentence chosen for an earlier one
// answers clearly. If these are fewer than two, it adds the next best, up to two. It never returns a sentence that
// rates 0 or less, so there may be one or none.
func choose(all []sentence) []sentence {
	var chosen []sentence
	for _, quality := range []func(sentence) int{
		func(s sentence) int { return s.what }, func(s sentence) int { return s.traction },
		func(s sentence) int { return s.round },
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
			return s.worth() - lexicon.BoolInt(s.short)*2 + lexicon.BoolInt(len(chosen) == 0 || lexicon.HasDigit(s.text))
		})
		if best < 0 {
			break
		}
		chosen = append(chosen, all[best])
	}
	sort.SliceStable(chosen, func(i, j int) bool { return chosen[i].at < chosen[j].at })
	return chosen
}

// answered reports whether a chosen sentence already has so high a rating in a quality that no further sentence is
// needed for it.
func answered(chosen []sentence, quality func(sentence) int) bool {
	const clearly = 5
	for _, s := range chosen {
		if quality(s) >= clearly {
			return true
		}
	}
	return false
}

// bareFacts returns the summary for a text without sentences: the company's name and founders, "Acme (Ann Lee, CEO).",
// which is the same in all languages. It returns "" for no name.
func bareFacts(name string, founders []founders.Found) string {
	if name == "" || name == naming.Unnamed {
		return ""
	}
	people := make([]string, 0, len(founders))
	for _, f := range founders {
		people = append(people, strings.TrimSuffix(f.Name+", "+f.Title, ", "))
	}
	if len(people) == 0 {
		return text.Ended(name)
	}
	return name + " (" + strings.Join(people, "; ") + ")."
}

// bestBy returns the index of the sentence with the highest rating in a quality, -1 if no rating is above 0. A long
// sentence counts one less. It leaves out hidden sentences, and those that repeat a chosen one, as sentences of a deck
// may.
func bestBy(all, chosen []sentence, quality func(sentence) int) int {
	best, most := -1, 0
	for i, s := range all {
		if q := quality(s) - lexicon.BoolInt(s.long); !s.hidden && q > most && !repeats(chosen, s) {
			best, most = i, q
		}
	}
	return best
}

func repeats(chosen []sentence, s sentence) bool {
	for _, c := range chosen {
		if c.text == s.text || strings.Contains(lexicon.Squeeze(c.text), lexicon.Squeeze(s.text)) ||
			strings.Contains(lexicon.Squeeze(s.text), lexicon.Squeeze(c.text)) {
			return true
		}
	}
	return false
}

// sentences returns the sentences of the text with their ratings. For a form it returns only the sentences of its
// description and its answer on the round. It skips lines of signatures, and the words by which a sentence greets or
// introduces the writer.
func (r *Writer) sentences(rd *people.Cast, name string) []sentence {
	var all []sentence
	for _, f := range rd.Fields {
		switch f.Kind {
		case "description":
			all = append(all, r.answerSentences(rd.Text, f, name)...)
		case "round":
			s := r.judgeSentence(f.Label+": "+f.Value, f.Start, name, 0)
			s.where, s.round = rd.SpanOfName(f.Value, f.Start), max(s.round, 3)
			all = append(all, s)
		}
	}
	if rd.JSON || rd.IsForm() {
		return all
	}
	for _, part := range r.text.Flow(rd.Body) {
		for _, p := range text.SentencesIn(rd.Body, part) {
			text := rd.Body[p.Start:p.End]
			if r.isContactLine(rd, text, p.Start) {
				continue
			}
			skip, bare := r.people.AfterOpening(text, name)
			p.Start += skip
			s := r.judgeSentence(text[skip:], p.Start, name, 0)
			s.where = p
			if skip > 0 {
				s.text = lexicon.StartUpper(s.text)
			}
			if bare {
				s.what, s.hidden = 0, s.hidden || s.traction+s.round == 0
			}
			all = append(all, s)
		}
	}
	return all
}

// answerSentences returns the sentences of a form's description. The first counts as the one that says what the company
// does.
func (r *Writer) answerSentences(rd *text.Text, f text.Field, name string) []sentence {
	var all []sentence
	for i, p := range text.SentencesIn(f.Value, text.Span{End: len(f.Value)}) {
		text := f.Value[p.Start:p.End]
		s := r.judgeSentence(text, f.Start+p.Start, name, 3*lexicon.BoolInt(i == 0))
		s.where = rd.SpanOfName(text, f.Start)
		all = append(all, s)
	}
	return all
}

// isContactLine reports whether a sentence, which begins at byte start of the body, is probably part of a signature: it
// has an address and few words, or a phone number, or it begins with a person's name, has fewer than 40 characters more
// and does not say what they do.
func (r *Writer) isContactLine(rd *people.Cast, text string, start int) bool {
	if strings.Contains(text, "@") && strings.Count(text, " ") < 6 || founders.HasPhone(rd.Names, start, start+len(text)) {
		return true
	}
	for _, p := range rd.Mentions {
		if p.Start == start && utf8.RuneCountInString(text) < len(p.Name)+40 {
			return !saysDeed(rd, text, p)
		}
	}
	return false
}

// saysDeed reports whether a text that begins with the person p is a sentence about them: "Ann Lee started Acme." is,
// "Ann Lee, CEO of Acme." and "Ann Lee founder of Acme." are not.
func saysDeed(rd *people.Cast, text string, p people.Mention) bool {
	rest, ok := strings.CutPrefix(text, p.Name+" ")
	if !ok || !lexicon.StartsLower(rest) || !strings.ContainsAny(rest[len(rest)-1:], ".!") {
		return false
	}
	return !slices.ContainsFunc(rd.Titles, func(t people.Title) bool {
		return t.Start >= p.Start && t.Start < p.Start+len(text)
	})
}

func (r *Writer) judgeSentence(content string, at int, name string, bonus int) sentence {
	content, long := text.Tidy(content)
	s := sentence{
		text: content, at: at, what: bonus, long: long,
		short: strings.Count(content, " ") < 4 && !text.IsUnspacedText(content),
	}
	if content == "" {
		s.hidden = true
		return s
	}
	tokens := lexicon.Tokenize(content)
	for _, h := range r.words.Summary.Find(tokens) {
		switch h.Section {
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
	if name != "" && strings.Contains(content, name) {
		// "I'm Ann of Acme" says nothing yet
		s.what += 1 + lexicon.BoolInt(s.what > 0 || strings.ContainsAny(content, "(:")) +
			2*lexicon.BoolInt(strings.Contains(content, name+":"))
	}
	if s.short {
		s.what, s.traction = 0, s.traction/2
	}
	s.hidden = s.hidden || len(tokens) < 2 || r.words.Mail.Exact(content) != ""
	return s
}

// weighNumbers first rates the sentence 1 for traction if it has no rating for traction or the round, but counts
// something. If the sentence has a figure, it then adds 3 to each of these two ratings that is above 0. If it has none,
// it halves the rating for traction, since "growth" without a figure says little.
func (s *sentence) weighNumbers(tokens []lexicon.Token) {
	if s.traction+s.round == 0 && countsSomething(tokens) {
		s.traction = 1
	}
	if lexicon.HasDigit(s.text) {
		s.traction += lexicon.BoolInt(s.traction > 0) * 3
		s.round += lexicon.BoolInt(s.round > 0) * 3
		return
	}
	s.traction /= 2
}

// countsSomething reports whether the tokens contain a quantity: a number that ends in "k", "m" or "bn", such as
// "420k", or a number other than a year before a word of more than three letters in its clause, such as "210 carriers".
func countsSomething(tokens []lexicon.Token) bool {
	for i, t := range tokens {
		n := strings.TrimLeft(t.Folded, "0123456789")
		if n == t.Folded ||
			len(t.Folded) == 4 && n == "" && (strings.HasPrefix(t.Folded, "19") || strings.HasPrefix(t.Folded, "20")) {
			continue
		}
		if n == "k" || n == "m" || n == "bn" ||
			n == "" && i+1 < len(tokens) && tokens[i+1].Clause == t.Clause && utf8.RuneCountInString(tokens[i+1].Folded) > 3 &&
				!lexicon.HasDigit(tokens[i+1].Folded) {
			return true
		}
	}
	return false
}
