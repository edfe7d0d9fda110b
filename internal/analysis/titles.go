package analysis

import (
	"slices"
	"strings"
)

// title is what somebody calls themselves, where it stands, and whether it makes a founder of them.
type title struct {
	text       string
	start, end int
	chief      bool
	plural     bool
}

// titles returns the titles of the body in order. Several that are joined count as one: "Co-founder & CEO".
func (r *Rules) titles(body string, tokens []token) []title {
	var all []title
	hits := longest(slices.DeleteFunc(r.titleWords.find(tokens),
		func(h hit) bool { return h.section == "modifier" || h.section == "joiner" }))
	for i := 0; i < len(hits); i++ {
		h := hits[i]
		t := title{start: r.modified(body, tokens, h.first), end: tokens[h.last-1].end, chief: h.section == "chief"}
		for i+1 < len(hits) && r.joins(body, tokens, t.end, hits[i+1]) {
			i++
			t.end = tokens[hits[i].last-1].end
			t.chief = t.chief || hits[i].section == "chief"
		}
		t.text = body[t.start:t.end]
		t.plural = isPlural(t.text)
		if !isVerbal(body, t.end) {
			all = append(all, t)
		}
	}
	return all
}

// longest keeps, of phrases that overlap, the longer ones.
func longest(hits []hit) []hit {
	var kept []hit
	for _, h := range hits {
		switch n := len(kept); {
		case n > 0 && h.first < kept[n-1].last && h.last <= kept[n-1].last && h.first != kept[n-1].first:
		case n > 0 && h.first == kept[n-1].first:
			if h.last > kept[n-1].last {
				kept[n-1] = h
			}
		case n > 0 && h.first < kept[n-1].last && h.last-h.first > kept[n-1].last-kept[n-1].first:
			kept[n-1] = h
		case n > 0 && h.first < kept[n-1].last:
		default:
			kept = append(kept, h)
		}
	}
	return kept
}

// modified returns where the title begins with the words before it that belong to it: "technical co-founder".
func (r *Rules) modified(body string, tokens []token, first int) int {
	if first > 0 && r.titleWords.whole[tokens[first-1].folded] == "modifier" {
		if gap := body[tokens[first-1].end:tokens[first].start]; gap == " " || gap == "-" {
			return tokens[first-1].start
		}
	}
	return tokens[first].start
}

// joins reports whether the next title belongs to the one that ends at end.
func (r *Rules) joins(body string, tokens []token, end int, next hit) bool {
	start := r.modified(body, tokens, next.first)
	if start < end || start-end > 8 || strings.Contains(body[end:start], "\n") {
		return false
	}
	gap := strings.TrimSpace(body[end:start])
	return gap == "" || r.titleWords.exact(gap) == "joiner" || strings.Trim(gap, "&/+-,|、・") == ""
}

// isVerbal tells words that only look like titles: "partner meeting", "founder call", "analyst review".
func isVerbal(body string, end int) bool {
	rest := strings.TrimLeft(body[end:min(len(body), end+24)], " ")
	word := rest
	if i := strings.IndexFunc(rest, func(c rune) bool { return !isWordRune(c) }); i >= 0 {
		word = rest[:i]
	}
	switch fold(word) {
	case "meeting", "meetings", "call", "calls", "review", "pitch", "dinner", "network", "program", "programme",
		"community", "team", "market", "update", "updates", "interview":
		return true
	}
	return false
}

// titleIn returns where the first title of a short text stands.
func (r *Rules) titleIn(s string) (title, bool) {
	all := r.titles(s, tokenize(s))
	if len(all) == 0 {
		return title{}, false
	}
	return all[0], true
}

// isChief reports whether a title, or one of several joined, is a founder's or a chief's.
func (r *Rules) isChief(text string) bool {
	t, ok := r.titleIn(text)
	return ok && t.chief
}

func isPlural(text string) bool {
	last := fold(text)
	for _, word := range []string{
		"founders", "fondateurs", "fondatrices", "cofondateurs", "fundadores", "fundadoras", "cofundadores", "fondatori",
		"fondatrici", "oprichters", "zalozyciele", "kuruculari", "grunderinnen",
	} {
		if strings.HasSuffix(last, word) {
			return true
		}
	}
	return false
}
