package lexicon

import "strings"

// IsOrdinary reports whether a word is an amount, or an ordinary word that begins sentences more often than names. It
// ignores case, accents, punctuation around the word, and a final "'s".
func (r *Words) IsOrdinary(word string) bool {
	folded := strings.ReplaceAll(Fold(strings.Trim(word, ".,:;'’")), "’", "'")
	return isAmount(folded) || r.Ordinary[folded] || r.Ordinary[strings.TrimSuffix(strings.TrimSuffix(folded, "'s"), "’s")]
}

// isAmount reports whether a word is a figure with at most three bytes after it, such as "9M" and "40k". A longer word
// that begins with a figure may be a name.
func isAmount(word string) bool {
	unit := strings.TrimLeft(word, "0123456789.,")
	return unit != word && len(unit) <= 3
}

// IsConnector reports whether a word, in lower case, connects the parts of a name: "van", "de", "&".
func IsConnector(word string) bool {
	return In("connectors", word)
}

// IsInvestorName reports whether a name is an investor's: whether its last word or the whole name is in the section
// "investor" of company_words.txt, or it ends with "Corporate Finance". It panics if the name is blank.
func (r *Words) IsInvestorName(name string) bool {
	words := strings.Fields(name)
	return r.Company.Exact(words[len(words)-1]) == "investor" || r.Company.Exact(name) == "investor" ||
		strings.HasSuffix(Fold(name), "corporate finance")
}

func (r *Words) isMonth(word string) bool {
	const shortest = 3
	for _, month := range List("months") {
		if word == month || len(word) == shortest && strings.HasPrefix(month, word) {
			return true
		}
	}
	return false
}

// IsFileWord reports whether a word of a file name, such as "deck", "v2" or "2026", is not part of a company's name. It
// ignores case and accents. It reports true for "".
func (r *Words) IsFileWord(w string) bool {
	folded := Fold(w)
	if strings.Trim(folded, "0123456789") == "" ||
		len(folded) > 1 && folded[0] == 'v' && strings.Trim(folded[1:], "0123456789") == "" {
		return true
	}
	if section := r.Documents.Exact(folded); section != "" {
		return true
	}
	return r.Tail[folded] || r.Ordinary[folded] || r.isMonth(folded) || r.Company.Exact(folded) == "legal" ||
		r.Files.Exact(folded) != ""
}
