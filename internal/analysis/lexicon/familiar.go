package lexicon

import (
	"strings"
	"sync"
)

// familiar holds the familiarity of each word of familiar.lst. It is only read where candidates for a name are
// compared.
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

// Familiarity returns how familiar a folded word is in lower-case letters, from 0 for a word that at most two of the
// labelled texts have to 4 for one that many have. Each line of familiar.lst has the words of one number, from 1; see
// FamiliarityOf.
func Familiarity(word string) int { return familiar()[word] }

// FamiliarityOf returns the familiarity of a word that so many of the labelled texts have in lower-case letters.
func FamiliarityOf(texts int) int {
	familiarity := 0
	for _, least := range []int{3, 4, 10, 40} {
		if texts >= least {
			familiarity++
		}
	}
	return familiarity
}
