package analysis

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fileNames returns the names that the files named in a text are called by: "Acme" of "[Attachment:
// Acme_PitchDeck_2026.pdf]".
func (r *Rules) fileNames(text string) []string {
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
		if name := r.nameInFile(stemBefore(text, dot)); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// isDeckFile reports whether the text begins with the ending of a file that may be a deck.
func isDeckFile(text string) bool {
	for _, ending := range []string{"pdf", "pptx", "ppt", "key", "odp"} {
		if hasPrefixFold(text, ending) && (len(text) == len(ending) || !isLetterOrDigit(text[len(ending)])) {
			return true
		}
	}
	return false
}

// stemBefore returns the file's name that ends at the dot, as far as a line and its punctuation let it reach.
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

// fileLinks returns the last parts of the paths of links, where those name files.
func fileLinks(links []string) []string {
	const most = 20
	var names []string
	for _, l := range links[:min(len(links), most)] {
		_, path := splitLink(l)
		path, _, _ = strings.Cut(path, "?")
		name, err := url.PathUnescape(path[strings.LastIndexByte(path, '/')+1:])
		if err == nil && strings.Contains(name, ".") {
			names = append(names, name)
		}
	}
	return names
}

// nameInFile takes off a file's name what files are called else: "deck", a version, a date, a place in a list.
func (r *Rules) nameInFile(stem string) string {
	words := strings.FieldsFunc(splitCamelWords(stem), func(c rune) bool { return strings.ContainsRune("_-. ()+[]", c) })
	var kept []string
	for _, w := range words {
		if r.isFileWord(w) {
			if len(kept) > 0 {
				break // what is behind "deck" is a remark
			}
			continue
		}
		kept = append(kept, w)
	}
	if len(kept) == 0 || len(kept) > 4 {
		return ""
	}
	name := strings.Join(kept, " ")
	if !startsUpper(name) || hasDigit(name[:1]) || len(name) <= 3 && strings.ToUpper(name) == name {
		return ""
	}
	return name
}

// isFileWord tells the words of file names that name no company.
func (r *Rules) isFileWord(w string) bool {
	folded := fold(w)
	if strings.Trim(folded, "0123456789") == "" ||
		len(folded) > 1 && folded[0] == 'v' && strings.Trim(folded[1:], "0123456789") == "" {
		return true
	}
	if section := r.documents.exact(folded); section != "" {
		return true
	}
	return r.tail[folded] || r.ordinary[folded] || r.isMonth(folded) || r.companyWords.exact(folded) == "legal" ||
		r.files.exact(folded) != ""
}

func (r *Rules) isMonth(word string) bool {
	const shortest = 3
	for _, month := range []string{
		"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
		"december", "januar", "februar", "marz", "mai", "juni", "juli", "oktober", "dezember",
	} {
		if word == month || len(word) == shortest && strings.HasPrefix(month, word) {
			return true
		}
	}
	return false
}

// splitCamelWords parts "PalimpsestPitchDeck" at a capital behind a small letter.
func splitCamelWords(s string) string {
	var out strings.Builder
	previous := ' '
	for _, c := range s {
		if unicode.IsUpper(c) && unicode.IsLower(previous) {
			out.WriteByte('_')
		}
		out.WriteRune(c)
		previous = c
	}
	return out.String()
}
