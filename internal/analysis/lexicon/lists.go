package lexicon

import (
	"encoding/json"
	"strconv"
	"sync"
)

// lists are the short lists of words of short_lists.json by name, in their order and as sets. ordinals has the number,
// "1" to "3", of each word of the lists "first", "second" and "third".
type lists struct {
	words map[string][]string
	sets  map[string]map[string]bool

	ordinals map[string]string
}

// read returns the lists in short_lists.json, which it parses only once: they never change, and are needed for every
// word of a text.
var read = sync.OnceValue(readLists) //nolint:gochecknoglobals // as above

func readLists() lists {
	var all lists
	data, err := files.ReadFile("short_lists.json")
	if err == nil {
		err = json.Unmarshal(data, &all.words)
	}
	if err != nil {
		panic(err) // cannot happen: a test reads the file
	}
	all.sets = make(map[string]map[string]bool, len(all.words))
	for name, words := range all.words {
		set := make(map[string]bool, len(words))
		for _, w := range words {
			set[w] = true
		}
		all.sets[name] = set
	}
	all.ordinals = make(map[string]string)
	for i, list := range []string{"first", "second", "third"} {
		for _, w := range all.words[list] {
			if all.ordinals[w] == "" {
				all.ordinals[w] = strconv.Itoa(i + 1)
			}
		}
	}
	return all
}

// Ordinal returns the number of a folded ordinal: "1" for "first" or "premier" to "3" for "third"; "" for any other
// word.
func Ordinal(word string) string { return read().ordinals[word] }

// List returns the words of a list of short_lists.json, in their order; nil for an unknown name. Callers must not
// change them.
func List(name string) []string { return read().words[name] }

// In reports whether a list of short_lists.json has a word, which is compared as it is written. It reports false for an
// unknown name of a list.
func In(name, word string) bool { return read().sets[name][word] }
