//go:build train

package eval_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/rank"
	"dealflow/internal/analysis/rules"
)

// readStatements returns examples of meanings of stages: notes and letters, each of which says in plain words how a
// deal goes on. They have less weight than labelled texts, since they are many and easy.
func readStatements(tb testing.TB, reader *rules.Rules) []rank.Example {
	tb.Helper()
	const weightOfNote, weightOfLetter = 0.2, 0.4
	return append(statementsIn(tb, reader, "statements.txt", weightOfNote),
		statementsIn(tb, reader, "letters.txt", weightOfLetter)...)
}

func statementsIn(tb testing.TB, reader *rules.Rules, file string, weight float64) []rank.Example {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", file))
	if err != nil {
		tb.Fatal(err)
	}
	var all []rank.Example
	meaning := -1
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[' && line[len(line)-1] == ']':
			meaning = slices.Index(rank.MeaningNames(), strings.Trim(line, "[]"))
			if meaning < 0 {
				tb.Fatalf("%s is no meaning", line)
			}
		default:
			text := strings.ReplaceAll(line, `\n`, "\n")
			all = append(all, rank.Example{
				Vectors: []rank.Vector{reader.Observe(analysis.Input{Text: text}).Blind().Text()},
				Right:   oneHot(len(rank.MeaningNames()), meaning), Weight: weight,
			})
		}
	}
	return all
}
