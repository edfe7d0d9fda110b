package eval_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

var (
	// update writes what is measured now to floors.json.
	update = flag.Bool("update", false, "write the scores of now to floors.json")
	// every reads every labelled text.
	every = flag.Bool("every", false, "score all sets that models were trained with, not one in trainedShare")
)

// trainedShare makes tests read only every sixth of the sets of hands that models were trained with, unless a flag
// makes them read all. Those sets have two thirds of all texts, and say the least about texts that nobody has seen.
const trainedShare = 6

// setNames returns the labelled sets. The rules were made with those called tuning, and only measured with those called
// heldout. The texts of intake are like those by which the service is judged. Sets called blind or like were labelled
// by somebody who had not seen the rules; decks and summaries are for the fields deck and summary. Those of hands were
// written by many people, each of whom is in one set alone.
func setNames(tb testing.TB) []string {
	tb.Helper()
	return append([]string{
		"intake", "tuning", "heldout", "blind-tuning", "blind-heldout", "like-tuning", "like-heldout", "decks", "summaries",
	}, append(handSets(tb, false), handSets(tb, true)...)...)
}

// readSets returns the sets that the tests read: all with -every, -update or -calibrate, and else all but most of those
// that models were trained with.
func readSets(tb testing.TB) []string {
	tb.Helper()
	all := setNames(tb)
	if *every || *update || *calibrate {
		return all
	}
	trained := handSets(tb, false)
	return slices.DeleteFunc(all, func(set string) bool {
		at := slices.Index(trained, set)
		return at >= 0 && at%trainedShare != 0
	})
}

// isHidden reports whether a set is one whose misses are not printed, so that nobody tunes to them.
func isHidden(set string) bool { return strings.HasSuffix(set, "heldout") }

const allowance = 2 // points that a score may drop

func readFloors(t *testing.T) map[string]map[string]float64 {
	t.Helper()
	floors := map[string]map[string]float64{}
	data, err := os.ReadFile("floors.json")
	if err == nil {
		err = json.Unmarshal(data, &floors)
	}
	if err != nil && !*update {
		t.Fatal(err)
	}
	return floors
}

// scoresOnly skips a test of all texts under the race detector.
func scoresOnly(t *testing.T) {
	t.Helper()
	if !scores {
		t.Skip("texts are scored without the race detector")
	}
}

// TestScores scores every set. A field that is right more than two points less often than floors.json says fails.
func TestScores(t *testing.T) {
	scoresOnly(t)
	floors := readFloors(t)
	measured := map[string]map[string]float64{}
	results := map[string]result{}
	for _, set := range readSets(t) {
		results[set] = score(t, readByRules(t, set))
		measured[set] = map[string]float64{}
		for field, tally := range results[set].fields {
			measured[set][field] = math.Round(10*tally.percent()) / 10
			if floor := floors[set][field]; measured[set][field] < floor-allowance {
				t.Errorf("%s: %s is right in %.1f %%, more than %d points below %.1f", set, field, measured[set][field], allowance,
					floor)
			}
		}
		for field := range floors[set] {
			if _, ok := measured[set][field]; !ok {
				t.Errorf("%s: nothing is asked about %s any more, though floors.json has it", set, field)
			}
		}
	}
	printScores(t, t.Output(), results)
	if *update {
		writeJSON(t, "floors.json", measured)
	}
}

func writeJSON(t *testing.T, file string, value any) {
	t.Helper()
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(data, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
}

// printScores writes the table, with a row for each set and a column for each field, in percent; then the misses.
func printScores(tb testing.TB, w io.Writer, results map[string]result) {
	tb.Helper()
	fmt.Fprintf(w, "%-18s", "% right")
	for _, field := range fieldNames() {
		fmt.Fprintf(w, "%10s", field)
	}
	fmt.Fprintln(w)
	for _, set := range setNames(tb) {
		if results[set].fields == nil {
			continue
		}
		fmt.Fprintf(w, "%-18s", set)
		for _, field := range fieldNames() {
			if t := results[set].fields[field]; t.all > 0 {
				fmt.Fprintf(w, "%10.1f", t.percent())
			} else {
				fmt.Fprintf(w, "%10s", "-")
			}
		}
		fmt.Fprintln(w)
	}
	for _, set := range setNames(tb) {
		for _, miss := range results[set].misses {
			if !isHidden(set) {
				fmt.Fprintln(w, miss)
			}
		}
	}
}
