package lexicon

import (
	"strings"
	"sync"
)

// The sections of vocabulary.lst, as flags.
const (
	givenName = 1 << iota
	surname
	ordinaryWord
)

// vocabulary returns the sections in which each word of vocabulary.lst is, by the hash of the word: a map without
// pointers costs the garbage collector no time. The first call parses the file: many texts do not need it, since it is
// used only where candidates for a name are compared.
var vocabulary = sync.OnceValue(readVocabulary) //nolint:gochecknoglobals // parsed once, and never changed

func readVocabulary() map[uint64]byte {
	const room = 1 << 17
	words := make(map[uint64]byte, room)
	flags := map[string]byte{"given": givenName, "surname": surname, "word": ordinaryWord}
	for _, line := range Lines("vocabulary.lst") {
		for w := range strings.FieldsSeq(line.Text) {
			words[hash(w)] |= flags[line.Sections]
		}
	}
	return words
}

// The constants of the 64-bit FNV-1a hash.
const (
	hashOffset = 14695981039346656037
	hashPrime  = 1099511628211
)

// hash returns the 64-bit FNV-1a hash of a word.
func hash(word string) uint64 {
	h := uint64(hashOffset)
	for i := range len(word) {
		h = (h ^ uint64(word[i])) * hashPrime
	}
	return h
}

// ListsOf returns in which sections of vocabulary.lst a folded word is: "g" for given names, "s" for surnames and "w"
// for ordinary words, in this order; "" for a word in none of them.
func ListsOf(word string) string {
	const letters = "gsw" // in the order of the flags
	flags, lists := vocabulary()[hash(word)], ""
	for i := range letters {
		if flags>>i&1 == 1 {
			lists += letters[i : i+1]
		}
	}
	return lists
}
