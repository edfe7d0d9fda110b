package eval_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
	"unicode/utf8"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/links"
)

// sample is one labelled text, with the documents that came with it. Alt holds further answers that a careful analyst
// would accept, by field.
type sample struct {
	ID       string
	Text     string
	Statuses []struct {
		Name string
		Rank int
	}
	Documents []document
	Expected  labels
	Alt       map[string]json.RawMessage
	Tags      []string

	// Of texts that many hands wrote: by whom, and what kind of text it is.
	Writer, Kind, Lang string
}

type document struct {
	FileName      string `json:"file_name"`
	Title         string
	Width, Height float64
	Pages         []string
}

// labels are the right answers. Deck is the number of the document that is the deck, from 1, where several came.
// Summary holds what a summary must say and may not say.
type labels struct {
	Name     string
	Source   string
	Status   *string
	URLs     []string `json:"urls"`
	DeckURL  *string  `json:"deck_url"`
	Founders []analysis.Founder
	Deck     int
	Summary  *struct {
		Holds  []string
		Lacks  []string
		Wholly []string // sentences that must be in it whole, if they begin in it
	}
}

func readSamples(tb testing.TB, set string) []sample {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", set+".jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	var all []sample
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var s sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			tb.Fatalf("%s: %v", set, err)
		}
		all = append(all, s)
	}
	return all
}

// linkReaders find the links and the deck link that the service gives the analyzer with a text. To build them takes as
// long as to read some texts.
type linkReaders struct {
	extractor *links.Extractor
	picker    *links.DeckPicker
}

func newLinkReaders() linkReaders {
	classes := links.DefaultDeckClasses()
	return linkReaders{links.NewExtractor(classes), links.NewDeckPicker(classes)}
}

// input returns what the service would give the analyzer for a sample.
func (s sample) input(found linkReaders) analysis.Input {
	in := analysis.Input{
		Text: s.Text, ReferenceTime: time.Date(2026, 11, 10, 9, 0, 0, 0, time.UTC), PickDeck: len(s.Documents) > 1,
	}
	in.Links = found.extractor.Links(s.Text)
	in.DeckURL, _ = found.picker.Pick(s.Text, in.Links)
	in.DetectSource = utf8.RuneCountInString(s.Text) > 50
	in.DetectStatus = in.DetectSource
	for _, status := range s.Statuses {
		in.Stages = append(in.Stages, analysis.Stage{ID: status.Name, Name: status.Name, Rank: status.Rank})
	}
	for i, d := range s.Documents {
		in.Documents = append(in.Documents, analysis.Document{
			ID: strconv.Itoa(i + 1), FileName: d.FileName, Title: d.Title, Width: d.Width, Height: d.Height, Pages: d.Pages,
		})
	}
	return in
}
