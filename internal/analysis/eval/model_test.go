package eval_test

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/model"
	"dealflow/internal/analysis/rules"
	"dealflow/internal/config"
	"dealflow/internal/testkit"
)

// modelCalls is how many texts a server is asked about at a time.
const modelCalls = 8

// scoreModel scores the sets by the model of the settings. It writes the same table as for the rules, and how many
// calls had which outcome: if a call fails, the rules answer.
func scoreModel(tb testing.TB, w io.Writer, m config.Model, sets []string) map[string]result {
	tb.Helper()
	var mu sync.Mutex
	outcomes := map[string]int{}
	model := model.NewOpenAI(model.OpenAIOptions{
		Key: m.Key, BaseURL: m.BaseURL, Model: m.Name, Timeout: m.Timeout, MaxInput: m.MaxInput, MaxOutput: m.MaxOutput,
		Rules: rules.New(links.DefaultDeckClasses()),
		Observe: func(call model.Call) {
			mu.Lock()
			defer mu.Unlock()
			outcomes[call.Outcome]++
		},
	})
	results := map[string]result{}
	for _, set := range sets {
		results[set] = score(tb, answerAll(tb, model, set, modelCalls))
	}
	printScores(tb, w, results)
	for _, outcome := range slices.Sorted(maps.Keys(outcomes)) {
		fmt.Fprintf(w, "%-18s%10d\n", outcome, outcomes[outcome])
	}
	return results
}

// TestScoresOfAModel scores a server that finds no founders at all: the table must hold what it says, not what the
// rules say.
func TestScoresOfAModel(t *testing.T) {
	scoresOnly(t)
	t.Parallel()
	said := func(value string) map[string]any {
		return map[string]any{
			"value": value, "quote": "", "document": "", "page": 0, "confidence": 0.9, "reasoning": "It says so.",
		}
	}
	server := testkit.NewModelServer(t, testkit.ModelAnswer(map[string]any{
		"name": said(""), "summary": said(""), "founders": []any{}, "status": said(""), "source": said(""), "deck": said(""),
	}))
	var table strings.Builder
	results := scoreModel(t, &table, config.Model{Key: "key", BaseURL: server.URL, Name: "model"}, []string{"intake"})
	samples := readSamples(t, "intake")
	nobody := 0
	for _, s := range samples {
		nobody += int(truth(len(s.Expected.Founders) == 0))
	}
	if got := results["intake"].fields["founders"]; got.right != nobody || got.all != len(samples) {
		t.Errorf("founders are right in %d of %d, not in the %d that have none:\n%s", got.right, got.all, nobody,
			table.String())
	}
	if n := len(server.Requests()); n != len(samples) {
		t.Errorf("the server was asked %d times about %d texts", n, len(samples))
	}
	if !strings.Contains(table.String(), "intake") {
		t.Errorf("the table lacks the set:\n%s", table.String())
	}
}
