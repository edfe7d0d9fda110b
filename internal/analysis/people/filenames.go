package people

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
)

// FileNames returns the names of companies in the names of files that a text mentions and that may be decks: "Acme" for
// "[Attachment: Acme_PitchDeck_2026.pdf]". It returns the first ten at most.
func (r *Finder) FileNames(text string) []string {
	const most = 10
	var names []string
	for from := 0; len(names) < most; {
		i := strings.IndexByte(text[from:], '.')
		if i < 0 {
			break
		}
		dot := from + i
		from = dot + 1
		if !isDeckFile(text[from:]) {
			continue
		}
		if name := r.NameInFile(stemBefore(text, dot)); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// isDeckFile reports whether the text, which follows the dot of a file name, begins with the ending of a file that may
// be a deck, such as "pdf" or "PPTX", and not with a longer word.
func isDeckFile(text string) bool {
	for _, ending := range lexicon.List("endings of decks") {
		if lexicon.HasPrefixFold(text, ending) && (len(text) == len(ending) || !lexicon.IsLetterOrDigit(text[len(ending)])) {
			return true
		}
	}
	return false
}

// stemBefore returns the file name that ends at the dot. It begins after a line end or a punctuation mark, at most 60
// bytes before.
func stemBefore(text string, dot int) string {
	const longest = 60
	start := dot
	for start > 0 && dot-start < longest && strings.IndexByte("\n\t[]:;,/\"'<>|*=", text[start-1]) < 0 {
		start--
	}
	for start < dot && !utf8.RuneStart(text[start]) {
		start++
	}
	return strings.TrimSpace(text[start:dot])
}

// FileLinks returns the file names at the ends of the paths of links. It looks at the first 20 links, and skips paths
// that end with a name without a dot.
func FileLinks(all []string) []string {
	const most = 20
	var names []string
	for _, l := range all[:min(len(all), most)] {
		_, path := links.SplitLink(l)
		path, _, _ = strings.Cut(path, "?")
		name, err := url.PathUnescape(path[strings.LastIndexByte(path, '/')+1:])
		if err == nil && strings.Contains(name, ".") {
			names = append(names, name)
		}
	}
	return names
}

// NameInFile returns the name in stem, a file name without its ending: "Acme" for "Acme_PitchDeck_v2". It leaves out
// "deck", versions, dates and the like, and what follows such a word behind the name. It returns "" if nothing or more
// than four words are left, if these do not begin with a capital, or if they are one word of up to three capitals.
func (r *Finder) NameInFile(stem string) string {
	words := strings.FieldsFunc(lexicon.SplitCamelWords(stem),
		func(c rune) bool { return strings.ContainsRune("_-. ()+[]", c) })
	var kept []string
	for _, w := range words {
		if r.words.IsFileWord(w) {
			if len(kept) > 0 {
				break // what is after "deck" is a remark
			}
			continue
		}
		kept = append(kept, w)
	}
	if len(kept) == 0 || len(kept) > 4 {
		return ""
	}
	name := strings.Join(kept, " ")
	if !lexicon.StartsUpper(name) || lexicon.HasDigit(name[:1]) || len(name) <= 3 && strings.ToUpper(name) == name {
		return ""
	}
	return name
}
