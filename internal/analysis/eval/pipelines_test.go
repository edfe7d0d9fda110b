//go:build train

package eval_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"dealflow/internal/analysis/rank"
)

// readPipelines returns what the stages of the labelled texts' pipelines are for, as indexes of rank.StageMeaningNames:
// by the pipelineKey of all names, then by the name of the stage.
func readPipelines(tb testing.TB) map[string]map[string]int {
	tb.Helper()
	file, err := os.Open("../testdata/pipelines.jsonl")
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	all := map[string]map[string]int{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var one struct{ Stages, Meanings []string }
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			tb.Fatal(err)
		}
		purposes := map[string]int{}
		for i, name := range one.Stages {
			purposes[name] = slices.Index(rank.StageMeaningNames(), one.Meanings[i])
			if purposes[name] < 0 {
				tb.Fatalf("%q is no meaning of a stage", one.Meanings[i])
			}
		}
		all[pipelineKey(one.Stages)] = purposes
	}
	return all
}

func pipelineKey(names []string) string {
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	return strings.Join(sorted, "|")
}

// purposes returns what each stage is for, -1 if no label says so.
func purposes(pipelines map[string]map[string]int, names []string) []int {
	known := pipelines[pipelineKey(names)]
	all := make([]int, len(names))
	for i, name := range names {
		at, ok := known[name]
		if !ok {
			at = -1
		}
		all[i] = at
	}
	return all
}
