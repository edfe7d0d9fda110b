package analysis

import (
	"regexp"
	"sort"
	"strings"
)

// title is what somebody calls himself, where it stands, and whether it makes a founder of him.
type title struct {
	text       string
	start, end int
	chief      bool
	plural     bool
}

// titlePattern matches one title, or several joined: "Co-founder & CEO", "Gründer und Geschäftsführer".
func titlePattern(words map[string][]string) string {
	one := `(?:` + alternatives(append(append([]string{}, words["chief"]...), words["other"]...)) + `)`
	modifier := `(?:(?:` + alternatives(words["modifier"]) + `)[ -])?`
	joiner := `(?:,? ?(?:&|/|\+|\||,) ?| (?:and|und|et|y|e|en|i|ve|og|och|ja) |-|(?:兼|、|・)| )`
	return `(?i:` + modifier + one + `(?:` + joiner + modifier + one + `)*)`
}

// alternatives gives the words as one regular expression, the longest first, any dash or space between their parts.
func alternatives(words []string) string {
	words = append([]string{}, words...)
	sort.Slice(words, func(i, j int) bool { return len(words[i]) > len(words[j]) })
	for i, w := range words {
		w = regexp.QuoteMeta(w)
		w = strings.ReplaceAll(w, " ", `[ -]`)
		words[i] = strings.ReplaceAll(w, "'", `['’]`)
	}
	return strings.Join(words, "|")
}

// titles gives the titles of the body in order.
func (rd *reading) titles(r *Rules) []title {
	if rd.titleList != nil {
		return rd.titleList
	}
	rd.titleList = []title{}
	for _, m := range r.title.FindAllStringIndex(rd.body, -1) {
		t := title{text: rd.body[m[0]:m[1]], start: m[0], end: m[1]}
		if m[0] > 0 && insideWord(rd.body, m[0]) || !endsWord(rd.body, m[1]) || r.isVerbal(rd.body, t) {
			continue
		}
		t.chief, t.plural = r.rank(t.text)
		rd.titleList = append(rd.titleList, t)
	}
	return rd.titleList
}

// isVerbal tells words that only look like titles: "partner meeting", "founder call", "due diligence analyst review".
func (r *Rules) isVerbal(body string, t title) bool {
	rest := strings.TrimLeft(body[t.end:min(len(body), t.end+24)], " ")
	word := rest
	if i := strings.IndexFunc(rest, func(c rune) bool { return !isWordRune(c) }); i >= 0 {
		word = rest[:i]
	}
	switch fold(word) {
	case "meeting", "meetings", "call", "calls", "review", "pitch", "dinner", "network", "program", "programme", "community", "team", "market", "update", "updates", "interview":
		return true
	}
	return t.text == "a" || t.text == "e"
}

func endsWord(text string, i int) bool {
	for _, r := range text[i:] {
		return !isWordRune(r) || isUnspaced(r)
	}
	return true
}

// rank tells whether the title, or one of several joined, is a founder's or a chief's, and whether it is in the plural.
func (r *Rules) rank(text string) (chief, plural bool) {
	for _, h := range r.titleWords.find(tokenize(text)) {
		if h.section == "chief" {
			chief = true
		}
	}
	last := fold(text)
	for _, word := range []string{"founders", "fondateurs", "fondatrices", "cofondateurs", "fundadores", "fundadoras", "cofundadores", "fondatori", "fondatrici", "oprichters", "zalozyciele", "kuruculari", "grunderinnen"} {
		plural = plural || strings.HasSuffix(last, word)
	}
	return chief, plural
}
