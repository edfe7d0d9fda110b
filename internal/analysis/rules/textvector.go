package rules

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/rank"
	"dealflow/internal/analysis/source"
	"dealflow/internal/analysis/stage"
	"dealflow/internal/analysis/text"
)

// The numbers of words at the beginning and at the end of a text that go into its vector.
const (
	firstWords = 700
	lastWords  = 200
)

// textVector returns the features of a text in any language: of its first firstWords and last lastWords words, of pairs
// and triples of them and parts of them, with those of quoted text separate; of its structure; and of the phrases and
// people that the rules find in it. The kind of the text, its source and its meaning for the deal's stage are
// classified from it.
func (r *Rules) textVector(rd *people.Scene, in analysis.Input) rank.Vector {
	v := rank.NewVector(8 * min(len(rd.Tokens), firstWords+lastWords))
	r.wordFeatures(&v, rd.Text)
	r.shapeFeatures(&v, rd, in)
	r.hitFeatures(&v, rd.Cast)
	return v
}

// textTokens returns the tokens that go into a vector: all of a short text, and the first firstWords and last lastWords
// of a long one.
func textTokens(tokens []lexicon.Token) []lexicon.Token {
	if len(tokens) <= firstWords+lastWords {
		return tokens
	}
	return append(tokens[:firstWords:firstWords], tokens[len(tokens)-lastWords:]...)
}

// wordFeatures adds features for the words that textTokens returns, and for the concepts of the whole text. In a long
// text each word weighs less, so that the norm of all together is about the same as in a short text.
func (r *Rules) wordFeatures(v *rank.Vector, rd *text.Text) {
	tokens := textTokens(rd.Tokens)
	text.ConceptFeatures(v, rd)
	worth := min(1, 3/math.Sqrt(float64(len(tokens)+1)))
	for i, t := range tokens {
		zone := rank.NewKey("w ")
		if rd.IsQuoted(t.Start) {
			zone = rank.NewKey("q ")
		}
		v.AddKey(zone.Append(t.Folded), worth)
		if i > 0 && tokens[i-1].Sentence == t.Sentence {
			v.AddKey(zone.Append(tokens[i-1].Folded).Append(" ").Append(t.Folded), worth)
			if i > 1 && tokens[i-2].Sentence == t.Sentence {
				v.AddKey(zone.Append(tokens[i-2].Folded).Append(" ").Append(tokens[i-1].Folded).Append(" ").Append(t.Folded), worth)
			}
		}
		partFeatures(v, t.Folded, worth/2)
		if i < 4 {
			v.AddKey(rank.NewKey("first ").Append(t.Folded), worth)
		}
		if i >= len(tokens)-3 {
			v.AddKey(rank.NewKey("last ").Append(t.Folded), worth)
		}
	}
}

// partFeatures adds the beginning and the inner parts of a word, which inflected forms share. It skips words of fewer
// than five letters, and of 64 and more.
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

// shapeFeatures adds features for the form of the text, such as its length and its lines, for who speaks in it, and for
// the hosts of its first ten links.
func (r *Rules) shapeFeatures(v *rank.Vector, rd *people.Scene, in analysis.Input) {
	v.Add("always", 1)
	rank.Bin(v, "words", len(rd.Tokens))
	rank.Bin(v, "lines", len(rd.Lines))
	rank.Bin(v, "links", len(in.Links))
	rank.Bin(v, "addresses", len(rd.Addresses))
	rank.Bin(v, "mails", len(rd.Mails))
	rank.Bin(v, "answers", len(rd.Fields))
	rank.Bin(v, "people", len(rd.Mentions))
	v.Set("html", rd.HTML)
	v.Set("mime", rd.MIME)
	v.Set("json", rd.JSON)
	v.Set("form", rd.IsForm())
	v.Set("chat", rd.Chat.Ok)
	v.Set("greets", rd.Greets)
	v.Set("signs", rd.Signs)
	v.Set("founder speaks", rd.FounderVoice)
	v.Set("introduces", rd.Introduces)
	v.Set("replies", rd.Replies)
	v.Set("speaks of a deal", rd.SpeaksOfDeal)
	v.Set("self", rd.HasKind(people.BySelf))
	v.Set("signature", rd.HasKind(people.BySignature))
	v.Set("chief", people.HasChief(rd.Mentions))
	v.Set("deck link", in.DeckURL != "")
	v.Set("documents", len(in.Documents) > 0)
	v.Set("forwarded", len(rd.Mails) > 0 && rd.Mails[0].Forwarded)
	v.Set("reply", len(rd.Mails) > 0 && rd.Mails[0].Reply)
	r.signFeatures(v, rd.Text)
	for _, l := range in.Links[:min(len(in.Links), 10)] {
		host, _ := links.SplitLink(l)
		v.AddKey(rank.NewKey("host ").Append(links.Registered(host)), 0.5)
	}
}

// signFeatures adds features for the first 6000 bytes of the text: for how many question marks, bars of tables and
// other signs, emoji and digits they have, and for whether they have few capitals or few lower-case letters.
func (r *Rules) signFeatures(v *rank.Vector, rd *text.Text) {
	counts := map[rune]int{}
	upper, lower, digits := 0, 0, 0
	for _, c := range text.Head(rd.Body)[:min(len(rd.Body), 6000)] {
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
		rank.Bin(v, "sign "+string(c), counts[c])
	}
	rank.Bin(v, "digits", digits)
	v.Set("no capitals", upper*50 < lower)
	v.Set("shouts", upper > 2*lower)
	v.Set("other script", lower < len(rd.Tokens))
}

// hitFeatures adds a feature for each section of the lexicon from which the text has a phrase, and for whether the
// phrase is near the beginning or in a quoted mail; and one for each kind of person and answer in the text. It looks
// for phrases of summaries in the first firstWords words only.
func (r *Rules) hitFeatures(v *rank.Vector, rd *people.Cast) {
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			v.Add(name, 1)
		}
	}
	for _, h := range rd.SourceHits {
		add("source hit " + h.Section)
		if rd.Tokens[h.First].Start < source.NearBeginning {
			add("early source hit " + h.Section)
		}
	}
	frames := stage.FramesOf(rd.StatusHits)
	for _, h := range rd.StatusHits {
		where := "status hit "
		if rd.IsQuoted(rd.Tokens[h.First].Start) {
			where = "quoted hit "
		}
		add(where + h.Section)
		if lexicon.IsConcept(h.Section) {
			add(where + h.Section + " " + r.stage.Sense(rd.Text, h, frames))
		}
	}
	r.conceptSenses(rd, add)
	for _, h := range r.words.Summary.Find(rd.Tokens[:min(len(rd.Tokens), firstWords)]) {
		add("summary hit " + h.Section)
	}
	for _, f := range rd.Fields {
		add("answer " + f.Kind)
	}
	for _, p := range rd.Mentions {
		add("person " + p.Kind.String())
	}
}

// conceptSenses adds a feature for each of the first 80 concepts of the text, except those in quotes, with the way in
// which the words around it change its meaning, such as "denied".
func (r *Rules) conceptSenses(rd *people.Cast, add func(string)) {
	const most = 80
	frames := stage.FramesOf(rd.StatusHits)
	for _, h := range rd.ConceptHits[:min(len(rd.ConceptHits), most)] {
		if !rd.IsQuoted(rd.Tokens[h.First].Start) {
			add("concept " + h.Section + " " + r.stage.Sense(rd.Text, h, frames))
		}
	}
}
