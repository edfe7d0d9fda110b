package rules_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/links"
)

// sample is one labelled text of testdata. What is right is scored in the package eval.
type sample struct {
	ID, Text string
	Statuses []struct {
		Name string
		Rank int
	}
	Documents []struct {
		FileName string `json:"file_name"`
		Title    string
		Pages    []string
	}
	Expected struct {
		Source string
		Status *string
	}
}

func readSamples(tb testing.TB, file string) []sample {
	tb.Helper()
	data, err := os.ReadFile("../testdata/" + file)
	if err != nil {
		tb.Fatal(err)
	}
	var all []sample
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var s sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		all = append(all, s)
	}
	return all
}

// labelledInputs returns the texts and documents of every labelled set, as the service would give them.
func labelledInputs(tb testing.TB) map[string]analysis.Input {
	tb.Helper()
	return inputsOf(labelledSamples(tb))
}

func labelledSamples(tb testing.TB) []sample {
	tb.Helper()
	var all []sample
	for _, set := range []string{
		"intake", "tuning", "heldout", "blind-tuning", "blind-heldout", "like-tuning", "like-heldout", "decks", "summaries",
	} {
		all = append(all, readSamples(tb, set+".jsonl")...)
	}
	return all
}

func inputsOf(samples []sample) map[string]analysis.Input {
	classes := links.DefaultDeckClasses()
	links, picker := links.NewExtractor(classes), links.NewDeckPicker(classes)
	all := map[string]analysis.Input{}
	for _, s := range samples {
		in := analysis.Input{
			Text: s.Text, Links: links.Links(s.Text), DetectStatus: true, DetectSource: true, PickDeck: len(s.Documents) > 1,
		}
		in.DeckURL, _ = picker.Pick(s.Text, in.Links)
		for _, st := range s.Statuses {
			in.Stages = append(in.Stages, analysis.Stage{ID: st.Name, Name: st.Name, Rank: st.Rank})
		}
		for i, d := range s.Documents {
			in.Documents = append(in.Documents,
				analysis.Document{ID: strconv.Itoa(i), FileName: d.FileName, Title: d.Title, Pages: d.Pages})
		}
		all[s.ID] = in
	}
	return all
}

// people returns names and addresses, which is what founders are compared by, in a fixed order.
func people(all []analysis.Founder) string {
	var lines []string
	for _, f := range all {
		lines = append(lines, f.Name+" <"+strings.ToLower(f.Email)+">")
	}
	slices.Sort(lines)
	return strings.Join(lines, ", ")
}
