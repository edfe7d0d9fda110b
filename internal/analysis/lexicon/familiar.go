package lexicon

import (
	"strings"
	"sync"
)

// familiar returns the familiarity of each word of familiar.lst. The first call parses the file: many texts do not need
// it, since it is used only where candidates for a name are compared.
var familiar = sync.OnceValue(readFamiliar) //nolint:gochecknoglobals // parsed once, and never changed

func readFamiliar() map[string]int {
	words := map[string]int{}
	for i, line := range Lines("familiar.lst") {
		for w := range strings.FieldsSeq(line.Text) {
			words[w] = i + 1
		}
	}
	return words
}

// Familiarity returns, as FamiliarityOf counts it, in how many of the labelled texts a folded word is written in
// lower-case letters: from 0 for a word that is not in familiar.lst to 4. The first line of the file has the words with
// 1, the second those with 2, and so on.
func Familiarity(word string) int { return familiar()[word] }

// FamiliarityOf returns the familiarity of a word that this number of labelled texts have in lower-case letters: 0 for
// less than 3 texts, 1 for 3, 2 for 4 to 9, 3 for 10 to 39, and 4 for 40 or more.
func FamiliarityOf(texts int) int {
	familiarity := 0
	for _, least := range []int{3, 4, 10, 40} {
		if texts >= least {
			familiarity++
		}
	}
	return familiarity
}
