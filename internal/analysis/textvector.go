package analysis

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis/rank"
)

// The words of a text that its vector is made of: the first and the last.
const (
	firstWords = 700
	lastWords  = 200
)

// textVector describes a whole text in any language: its words, pairs of words and parts of words, apart for what it
// quotes; its structure; and what the rules make of it. What kind of text it is, how it came and what it says of the
// deal's stage are read off it.
func (r *Rules) textVector(rd *reading, in Input) rank.Vector {
	v := rank.NewVector(8 * min(len(rd.tokens), firstWords+lastWords))
	r.wordFeatures(&v, rd)
	r.shapeFeatures(&v, rd, in)
	r.hitFeatures(&v, rd)
	return v
}

// textTokens returns the first and the last words of a long text.
func textTokens(tokens []token) []token {
	if len(tokens) <= firstWords+lastWords {
		return tokens
	}
	return append(tokens[:firstWords:firstWords], tokens[len(tokens)-lastWords:]...)
}

// wordFeatures adds the words. All together weigh the same in a long text and in a short one, up to a limit.
func (r *Rules) wordFeatures(v *rank.Vector, rd *reading) {
	tokens := textTokens(rd.tokens)
	conceptFeatures(v, rd)
	worth := min(1, 3/math.Sqrt(float64(len(tokens)+1)))
	for i, t := range tokens {
		zone := rank.NewKey("w ")
		if rd.isQuoted(t.start) {
			zone = rank.NewKey("q ")
		}
		v.AddKey(zone.Append(t.folded), worth)
		if i > 0 && tokens[i-1].sentence == t.sentence {
			v.AddKey(zone.Append(tokens[i-1].folded).Append(" ").Append(t.folded), worth)
			if i > 1 && tokens[i-2].sentence == t.sentence {
				v.AddKey(zone.Append(tokens[i-2].folded).Append(" ").Append(tokens[i-1].folded).Append(" ").Append(t.folded), worth)
			}
		}
		partFeatures(v, t.folded, worth/2)
		if i < 4 {
			v.AddKey(rank.NewKey("first ").Append(t.folded), worth)
		}
		if i >= len(tokens)-3 {
			v.AddKey(rank.NewKey("last ").Append(t.folded), worth)
		}
	}
}

// partFeatures adds the beginnings and the inner parts of a long word, which inflected forms share.
func partFeatures(v *rank.Vector, word string, worth float64) {
	const shortest, part = 5, 4
	n := utf8.RuneCountInString(word)
	if n < shortest {
		return
	}
	var ends [64]int
	count := 0
	for i := range word {
		if count == len(ends) {
			break
		}
		ends[count] = i
		count++
	}
	if count == len(ends) {
		return
	}
	ends[count] = len(word)
	v.AddKey(rank.NewKey("p ").Append(word[:ends[shortest]]), worth)
	for i := 0; i+part <= count; i++ {
		v.AddKey(rank.NewKey("c ").Append(word[ends[i]:ends[i+part]]), worth/2)
	}
}

// bin adds a count as one of a few features, each twice as wide as the one before.
func bin(v *rank.Vector, name string, n int) {
	size := 0
	for ; n > 0; n /= 2 {
		size++
	}
	v.AddKey(rank.NewKey(name).Append(" ").Append(strconv.Itoa(size)), 1)
}

// shapeFeatures adds what the text looks like.
func (r *Rules) shapeFeatures(v *rank.Vector, rd *reading, in Input) {
	v.Add("always", 1)
	bin(v, "words", len(rd.tokens))
	bin(v, "lines", len(rd.lines))
	bin(v, "links", len(in.Links))
	bin(v, "addresses", len(rd.address))
	bin(v, "mails", len(rd.mails))
	bin(v, "answers", len(rd.fields))
	bin(v, "people", len(rd.people))
	v.Set("html", rd.html)
	v.Set("mime", rd.mime)
	v.Set("json", rd.json)
	v.Set("form", rd.isForm())
	v.Set("chat", rd.chat.ok)
	v.Set("greets", rd.greets)
	v.Set("signs", rd.signs)
	v.Set("founder speaks", rd.founderVoice)
	v.Set("introduces", rd.introduces)
	v.Set("replies", rd.replies)
	v.Set("speaks of a deal", rd.speaksOfDeal)
	v.Set("self", rd.hasKind(bySelf))
	v.Set("signature", rd.hasKind(bySignature))
	v.Set("chief", hasChief(rd.people))
	v.Set("deck link", in.DeckURL != "")
	v.Set("documents", len(in.Documents) > 0)
	v.Set("forwarded", len(rd.mails) > 0 && rd.mails[0].forwarded)
	v.Set("reply", len(rd.mails) > 0 && rd.mails[0].reply)
	r.signFeatures(v, rd)
	for _, l := range in.Links[:min(len(in.Links), 10)] {
		host, _ := splitLink(l)
		v.AddKey(rank.NewKey("host ").Append(registered(host)), 0.5)
	}
}

// signFeatures counts the signs of the text: question marks, bars of tables, emoji, capitals and small letters.
func (r *Rules) signFeatures(v *rank.Vector, rd *reading) {
	counts := map[rune]int{}
	upper, lower, digits := 0, 0, 0
	for _, c := range head(rd.body)[:min(len(rd.body), 6000)] {
		switch {
		case unicode.IsUpper(c):
			upper++
		case unicode.IsLower(c):
			lower++
		case unicode.IsDigit(c):
			digits++
		case strings.ContainsRune("?!|•-[]()#$€@→;", c):
			counts[c]++
		case c > 0x1F000:
			v.AddKey(rank.NewKey("emoji ").Append(string(c)), 0.5)
			counts[0x1F000]++
		}
	}
	for _, c := range "?!|•-[]()#$€@→;\U0001F000" {
		bin(v, "sign "+string(c), counts[c])
	}
	bin(v, "digits", digits)
	v.Set("no capitals", upper*50 < lower)
	v.Set("shouts", upper > 2*lower)
	v.Set("other script", lower < len(rd.tokens))
}

// hitFeatures adds the sections of the lexicon that the text holds phrases of, near its beginning or not, and the
// kinds of people and answers in it.
func (r *Rules) hitFeatures(v *rank.Vector, rd *reading) {
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			v.Add(name, 1)
		}
	}
	for _, h := range rd.sourceHits {
		add("source hit " + h.section)
		if rd.tokens[h.first].start < nearBeginning {
			add("early source hit " + h.section)
		}
	}
	frames := framesOf(rd.statusHits)
	for _, h := range rd.statusHits {
		where := "status hit "
		if rd.isQuoted(rd.tokens[h.first].start) {
			where = "quoted hit "
		}
		add(where + h.section)
		if isConcept(h.section) {
			add(where + h.section + " " + r.sense(rd, h, frames))
		}
	}
	for _, h := range r.summary.find(rd.tokens[:min(len(rd.tokens), firstWords)]) {
		add("summary hit " + h.section)
	}
	for _, f := range rd.fields {
		add("answer " + f.kind)
	}
	for _, p := range rd.people {
		add("person " + p.kind.String())
	}
}

// sense says what the words around a phrase make of it.
func (r *Rules) sense(rd *reading, h hit, f frames) string {
	switch {
	case r.denied(rd, h, f.not), rd.isAsked(h):
		return "denied"
	case inClause(rd, f.past, h), r.oldYear(rd, h):
		return "past"
	case r.isElsewhere(rd, h, f):
		return "elsewhere"
	case ahead(rd, f.future, h):
		return "ahead"
	case inClause(rd, f.done, h):
		return "done"
	case near(rd, f.scheduled, h, 6):
		return "scheduled"
	case near(rd, f.now, h, 0):
		return "now"
	}
	return "plain"
}
