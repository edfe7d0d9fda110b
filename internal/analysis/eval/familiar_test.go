package eval_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
)

// familiarFile has the words that many texts have; see lexicon.Familiarity.
const familiarFile = "../lexicon/familiar.lst"

// TestFamiliarWords: the words that the models find familiar are those of the texts with which they are trained. With
// -update it writes them.
func TestFamiliarWords(t *testing.T) {
	scoresOnly(t)
	want := familiarWords(t)
	if *update {
		if err := os.WriteFile(familiarFile, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(familiarFile); err != nil || string(got) != want {
		t.Errorf("%s is not of the training texts (%v): run make train", familiarFile, err)
	}
}

// familiarWords returns the content of the file: a line for each familiarity, from 1, with its words in order.
func familiarWords(tb testing.TB) string {
	tb.Helper()
	texts := map[string]int{}
	for _, set := range trainingSets(tb) {
		for _, s := range readSamples(tb, set) {
			for _, w := range lowerWords(s.Text) {
				texts[w]++
			}
		}
	}
	lines := make([][]string, lexicon.FamiliarityOf(1<<30)+1)
	for w, n := range texts {
		f := lexicon.FamiliarityOf(n)
		lines[f] = append(lines[f], w)
	}
	var content strings.Builder
	for _, words := range lines[1:] {
		slices.Sort(words)
		content.WriteString(strings.Join(words, " ") + "\n")
	}
	return content.String()
}

// lowerWords returns the words of a text that it has in lower-case letters, folded, each once. It leaves out single
// letters, words with other signs than letters, and parts of addresses, links and names of files.
func lowerWords(text string) []string {
	var words []string
	for _, t := range lexicon.Tokenize(text) {
		word := text[t.Start:t.End]
		before, _ := utf8.DecodeLastRuneInString(text[:t.Start])
		after, size := utf8.DecodeRuneInString(text[t.End:])
		next, _ := utf8.DecodeRuneInString(text[t.End+size:])
		if utf8.RuneCountInString(word) < 2 || !unicode.IsLower([]rune(word)[0]) || strings.ContainsFunc(word, isNoLetter) ||
			strings.ContainsRune("@./-_", before) || strings.ContainsRune("@/_", after) ||
			after == '.' && !isNoLetter(next) {
			continue
		}
		words = append(words, t.Folded)
	}
	slices.Sort(words)
	return slices.Compact(words)
}

func isNoLetter(r rune) bool { return !unicode.IsLetter(r) }
