package people

import (
	"slices"
	"strings"

	"dealflow/internal/analysis/lexicon"
)

// titles returns the titles of the body in order; tokens are those of the body. Several that are joined count as one:
// "Co-founder & CEO". It leaves out words that are no titles by isVerbal.
func (r *Finder) titles(body string, tokens []lexicon.Token) []Title {
	var all []Title
	hits := longest(slices.DeleteFunc(r.words.Titles.Find(tokens),
		func(h lexicon.Hit) bool { return h.Section == "modifier" || h.Section == "joiner" }))
	for i := 0; i < len(hits); i++ {
		h := hits[i]
		t := Title{Start: r.modified(body, tokens, h.First), End: tokens[h.Last-1].End, Chief: h.Section == "chief"}
		for i+1 < len(hits) && r.joins(body, tokens, t.End, hits[i+1]) {
			i++
			t.End = tokens[hits[i].Last-1].End
			t.Chief = t.Chief || hits[i].Section == "chief"
		}
		t.Text = body[t.Start:t.End]
		t.plural = isPlural(t.Text)
		if !isVerbal(body, t.End) {
			all = append(all, t)
		}
	}
	return all
}

// longest returns the hits without those that overlap a longer one. Of overlapping hits of the same length it keeps the
// first.
func longest(hits []lexicon.Hit) []lexicon.Hit {
	var kept []lexicon.Hit
	for _, h := range hits {
		switch n := len(kept); {
		case n > 0 && h.First < kept[n-1].Last && h.Last <= kept[n-1].Last && h.First != kept[n-1].First:
		case n > 0 && h.First == kept[n-1].First:
			if h.Last > kept[n-1].Last {
				kept[n-1] = h
			}
		case n > 0 && h.First < kept[n-1].Last && h.Last-h.First > kept[n-1].Last-kept[n-1].First:
			kept[n-1] = h
		case n > 0 && h.First < kept[n-1].Last:
		default:
			kept = append(kept, h)
		}
	}
	return kept
}

// modified returns the byte at which the title begins whose first token is first: with the word before it if that
// belongs to the title, as "technical" of "technical co-founder".
func (r *Finder) modified(body string, tokens []lexicon.Token, first int) int {
	if first > 0 && r.words.Titles.Whole[tokens[first-1].Folded] == "modifier" {
		if gap := body[tokens[first-1].End:tokens[first].Start]; gap == " " || gap == "-" {
			return tokens[first-1].Start
		}
	}
	return tokens[first].Start
}

// joins reports whether the title next belongs to the one that ends at byte end: it begins at most eight bytes later on
// the same line, with no more than "&", "and" or the like between them.
func (r *Finder) joins(body string, tokens []lexicon.Token, end int, next lexicon.Hit) bool {
	start := r.modified(body, tokens, next.First)
	if start < end || start-end > 8 || strings.Contains(body[end:start], "\n") {
		return false
	}
	gap := strings.TrimSpace(body[end:start])
	return gap == "" || r.words.Titles.Exact(gap) == "joiner" || strings.Trim(gap, "&/+-,|、・") == ""
}

// isVerbal reports whether the word that ends at byte end is not a title, because of the word after it: "partner
// meeting", "founder call", "analyst review".
func isVerbal(body string, end int) bool {
	rest := strings.TrimLeft(body[end:min(len(body), end+24)], " ")
	word := rest
	if i := strings.IndexFunc(rest, func(c rune) bool { return !lexicon.IsWordRune(c) }); i >= 0 {
		word = rest[:i]
	}
	return lexicon.In("words behind no title", lexicon.Fold(word))
}

// titleIn returns the first title of a short text. It reports false if there is none.
func (r *Finder) titleIn(s string) (Title, bool) {
	all := r.titles(s, lexicon.Tokenize(s))
	if len(all) == 0 {
		return Title{}, false
	}
	return all[0], true
}

// isChief reports whether the first title of a text, or one of the titles joined to it, is a founder's or a chief's.
func (r *Finder) isChief(text string) bool {
	t, ok := r.titleIn(text)
	return ok && t.Chief
}

func isPlural(text string) bool {
	last := lexicon.Fold(text)
	for _, word := range lexicon.List("titles of several") {
		if strings.HasSuffix(last, word) {
			return true
		}
	}
	return false
}
