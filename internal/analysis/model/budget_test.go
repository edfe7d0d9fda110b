package model_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/model"
	"dealflow/internal/testkit"
)

// shownWith analyzes an input with a limit of tokens, and returns what the model was sent of the input, and the
// findings.
func shownWith(t *testing.T, in analysis.Input, tokens int) (sentCase, analysis.Findings) {
	t.Helper()
	var seen observed
	server := testkit.NewModelServer(t, testkit.ModelAnswer(goodAnswer()))
	got, err := askingWith(model.OpenAIOptions{MaxInput: tokens}, server, &seen).Analyze(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return caseOf(t, server.Requests()[0]), got
}

func pagesOf(name string, count, length int) analysis.Document {
	d := analysis.Document{ID: name, FileName: name + ".pdf"}
	for i := range count {
		d.Pages = append(d.Pages, fmt.Sprintf("%s page %d %s", name, i+1, strings.Repeat("slide ", length/6)))
	}
	return d
}

func TestBudget(t *testing.T) {
	t.Parallel()
	in := pitch()
	in.Text = pitchText + "\n" + strings.Repeat("Nothing of note happened here.\n", 4000) + "Signed by Nadia at the end"
	in.Documents = []analysis.Document{pagesOf("deck", 60, 400)}
	shown, got := shownWith(t, in, 3000)
	length := len(shown.Text)
	for _, page := range shown.Documents[0].Pages {
		length += len(page.Text)
	}
	if length > 3000*4+200 || length < 3000*3 {
		t.Errorf("%d characters were shown for 3000 tokens", length)
	}
	if !strings.HasPrefix(shown.Text, "From: Nadia") || !strings.HasSuffix(shown.Text, "at the end") ||
		!strings.Contains(shown.Text, "[…]") {
		t.Errorf("the text was cut at its beginning or end: %.60q … %q", shown.Text, shown.Text[len(shown.Text)-60:])
	}
	pages := len(shown.Documents[0].Pages)
	want := fmt.Sprintf("the model was shown the beginning and the end of the text and %d of 60 pages.", pages)
	if remarks := strings.Join(got.Remarks, " "); pages < 5 || pages == 60 || !strings.Contains(remarks, want) {
		t.Errorf("%d pages, and the remark %q", pages, remarks)
	}
	if shown, got = shownWith(t, pitch(), 3000); len(got.Remarks) > 0 || shown.Text != pitchText {
		t.Errorf("a short text was cut: %v", got.Remarks)
	}
}

func TestBudgetIsSharedByPages(t *testing.T) {
	t.Parallel()
	in := pitch()
	in.PickDeck = true
	in.Documents = []analysis.Document{pagesOf("memo", 40, 2000), pagesOf("model", 40, 2000), pagesOf("deck", 3, 2000)}
	shown, _ := shownWith(t, in, 6000)
	for i, d := range shown.Documents {
		if len(d.Pages) < 2 {
			t.Errorf("of document %d only %d pages are shown", i, len(d.Pages))
		}
		for n, page := range d.Pages {
			if page.Page != n+1 || !strings.Contains(page.Text, fmt.Sprintf("page %d ", n+1)) {
				t.Errorf("document %d: page %d is %.40q", i, page.Page, page.Text)
			}
		}
	}
}

func TestBudgetCountsChineseAsMore(t *testing.T) {
	t.Parallel()
	in := pitch()
	in.Text = strings.Repeat("我们是一家公司。\n", 4000)
	shown, _ := shownWith(t, in, 2000)
	if n := len([]rune(shown.Text)); n > 2300 || n < 1500 {
		t.Errorf("%d characters for 2000 tokens", n)
	}
}

// remembered is a memory of answers that counts how often it was asked and how often it stored one.
type remembered struct {
	answers       map[string]string
	recalls, kept int
}

func (r *remembered) memory() *analysis.Memory {
	return &analysis.Memory{
		Recall: func(_ context.Context, key string) (string, bool) {
			r.recalls++
			answer, found := r.answers[key]
			return answer, found
		},
		Keep: func(_ context.Context, key, answer string) {
			r.kept++
			r.answers[key] = answer
		},
	}
}

func TestModelRemembers(t *testing.T) {
	t.Parallel()
	var seen observed
	server := testkit.NewModelServer(t, testkit.ModelAnswer(goodAnswer()))
	analyzer, store := asking(server, &seen), &remembered{answers: map[string]string{}}
	ask := func(change func(*analysis.Input)) analysis.Findings {
		in := pitch()
		in.Memory = store.memory()
		in.Documents = []analysis.Document{{ID: uuid.NewString(), FileName: "deck.pdf", Pages: []string{"Tidewise"}}}
		change(&in)
		got, err := analyzer.Analyze(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first := ask(func(*analysis.Input) {})
	again := ask(func(*analysis.Input) {})
	if len(server.Requests()) != 1 || seen.outcomes() != "ok cached" || seen.calls[1].PromptTokens != 0 {
		t.Errorf("%d requests, observed %+v", len(server.Requests()), seen.calls)
	}
	if again.Name != first.Name || again.StatusID != first.StatusID || again.StatusReasoning != first.StatusReasoning ||
		len(again.Founders) != len(first.Founders) || again.Analyzer != "small-model" {
		t.Errorf("remembered %+v, at first %+v", again, first)
	}
	lesson := analysis.Lesson{
		Field: analysis.FieldSource, Detected: "email", Chosen: "referral", Cues: first.Cues, At: pitch().ReferenceTime,
	}
	for name, change := range map[string]func(*analysis.Input){
		"text":       func(in *analysis.Input) { in.Text += "!" },
		"page":       func(in *analysis.Input) { in.Documents[0].Pages[0] = "Tidewise!" },
		"stage":      func(in *analysis.Input) { in.Stages[0].Name = "Fresh" },
		"wish":       func(in *analysis.Input) { in.DetectSource = false },
		"correction": func(in *analysis.Input) { in.Lessons = []analysis.Lesson{lesson} },
	} {
		before := len(server.Requests())
		if ask(change); len(server.Requests()) != before+1 {
			t.Errorf("with another %s the old answer was taken", name)
		}
	}
}

func TestModelForgetsWhatFailed(t *testing.T) {
	t.Parallel()
	var seen observed
	store := &remembered{answers: map[string]string{}}
	server := testkit.NewModelServer(t, testkit.ModelRefusal(), testkit.ModelText("no JSON", "stop"),
		testkit.ModelText(`{"name":`, "length"), testkit.ModelAnswer(goodAnswer()))
	analyzer := asking(server, &seen)
	for range 5 {
		in := pitch()
		in.Memory = store.memory()
		if _, err := analyzer.Analyze(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	if want := "refusal malformed truncated ok cached"; seen.outcomes() != want || store.kept != 1 {
		t.Errorf("observed %q and kept %d", seen.outcomes(), store.kept)
	}
	for key := range store.answers {
		store.answers[key] = "{broken"
	}
	in := pitch()
	in.Memory = store.memory()
	if _, err := analyzer.Analyze(t.Context(), in); err != nil || !strings.HasSuffix(seen.outcomes(), "cached ok") {
		t.Errorf("a broken answer was taken from memory: %v, %q", err, seen.outcomes())
	}
}
