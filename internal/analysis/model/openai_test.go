package model_test

import (
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/model"
	"dealflow/internal/testkit"
)

// pitchText is a mail whose facts the answers below are checked against.
const pitchText = "From: Nadia Brandt <nadia@tidewise.io>\nSubject: Tidewise\n\nDear team,\n\nTidewise predicts " +
	"flooding for ports. We have 14 ports and EUR 420k ARR, and raise 2.5M. " +
	"Thank you for the call on Tuesday.\n\nNadia Brandt, CEO\n+49 151 2345 " +
	"6789\nhttps://www.linkedin.com/in/nadia-brandt https://docsend.com/view/tw1"

func pitch() analysis.Input {
	return analysis.Input{
		Text: pitchText, Links: []string{"https://www.linkedin.com/in/nadia-brandt", "https://docsend.com/view/tw1"},
		DeckURL: "https://docsend.com/view/tw1",
		Stages: []analysis.Stage{
			{ID: "s-new", Name: "New", Rank: 1},
			{ID: "s-met", Name: "First Meeting", Rank: 2},
			{ID: "s-pass", Name: "Passed", Rank: 3},
		},
		DetectStatus: true, DetectSource: true,
	}
}

// said is one field of an answer.
func said(value, quote, reasoning string) map[string]any {
	return map[string]any{
		"value": value, "quote": quote, "document": "", "page": 0, "confidence": 0.9, "reasoning": reasoning,
	}
}

func person(changes map[string]any) map[string]any {
	p := map[string]any{
		"name": "Nadia Brandt", "email": "nadia@tidewise.io", "phone": "+49 151 2345 6789", "title": "CEO", "background": "",
		"linkedin_profile": "https://www.linkedin.com/in/nadia-brandt", "quote": "Nadia Brandt, CEO", "document": "",
		"page": 0, "confidence": 0.9,
	}
	maps.Copy(p, changes)
	return p
}

// goodAnswer is what a model that reads well would say of the pitch. Stages go by s1, s2, … in their order.
func goodAnswer() map[string]any {
	return map[string]any{
		"name":     said("Tidewise", "Tidewise predicts flooding for ports", ""),
		"summary":  said("Tidewise predicts flooding for ports. It has 14 ports and EUR 420k ARR.", "", ""),
		"founders": []any{person(nil)},
		"status":   said("s2", "Thank you for the call on Tuesday", "They spoke on Tuesday."),
		"source":   said("email", "", "It is a founder's own mail."), "deck": said("", "", ""),
	}
}

func with(changes map[string]any) map[string]any {
	answer := goodAnswer()
	maps.Copy(answer, changes)
	return answer
}

// observed collects what the analyzer reports.
type observed struct {
	mu    sync.Mutex
	calls []model.Call
}

func (o *observed) see(call model.Call) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls = append(o.calls, call)
}

// outcomes returns how the analyses went, in their order.
func (o *observed) outcomes() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []string
	for _, call := range o.calls {
		all = append(all, call.Outcome)
	}
	return strings.Join(all, " ")
}

func asking(server *testkit.ModelServer, o *observed) *model.OpenAI {
	return askingWith(model.OpenAIOptions{Retries: 2}, server, o)
}

func askingWith(options model.OpenAIOptions, server *testkit.ModelServer, o *observed) *model.OpenAI {
	options.BaseURL, options.Key, options.Model, options.Backoff, options.Rules, options.Observe = server.URL, "sk-test",
		"small-model", time.Millisecond, builtIn(), o.see
	return model.NewOpenAI(options)
}

func statusEvidence(f analysis.Findings) analysis.Evidence {
	for _, e := range f.Evidence {
		if e.Field == analysis.FieldStatus {
			return e
		}
	}
	return analysis.Evidence{}
}

func TestModelAnswers(t *testing.T) {
	t.Parallel()
	var seen observed
	server := testkit.NewModelServer(t, testkit.ModelAnswer(goodAnswer()))
	got, err := asking(server, &seen).Analyze(t.Context(), pitch())
	if err != nil {
		t.Fatal(err)
	}
	want := analysis.Founder{
		Name: "Nadia Brandt", Email: "nadia@tidewise.io", Phone: "+49 151 2345 6789", Title: "CEO",
		LinkedInProfile: "https://www.linkedin.com/in/nadia-brandt",
	}
	if got.Analyzer != "small-model" || got.Fallback != "" || got.Name != "Tidewise" || got.StatusID != "s-met" ||
		got.Source != "email" || len(got.Founders) != 1 || got.Founders[0] != want {
		t.Errorf("got %+v", got)
	}
	if !strings.Contains(got.StatusReasoning, "They spoke on Tuesday.") ||
		!strings.Contains(got.StatusReasoning, "“Thank you for the call on Tuesday”") {
		t.Errorf("the reasoning lacks the model's words or its quote: %q", got.StatusReasoning)
	}
	if call := seen.calls[0]; len(seen.calls) != 1 || call.Outcome != "ok" || call.PromptTokens != 100 ||
		call.CompletionTokens != 20 || len(call.Refused) > 0 || call.Took <= 0 {
		t.Errorf("observed %+v", seen.calls)
	}
	for _, e := range got.Evidence {
		if quoted := string([]rune(pitchText)[e.Start:e.End]); e.Analyzer == "small-model" && e.Field != "summary" &&
			e.Field != "source" && (quoted != e.Quote || e.Quote == "") {
			t.Errorf("the evidence of %s quotes %q, but there stands %q", e.Field, e.Quote, quoted)
		}
	}
	if e := statusEvidence(got); e.Value != "s-met" || e.Confidence <= 0.8 || e.Analyzer != "small-model" {
		t.Errorf("the status rests on %+v", e)
	}
}

func TestModelIsAskedWithData(t *testing.T) {
	t.Parallel()
	var seen observed
	server := testkit.NewModelServer(t, testkit.ModelAnswer(goodAnswer()))
	in := pitch()
	in.Text = "The chairman would answer PASSED, he said.\n" + in.Text
	in.Documents = []analysis.Document{
		{ID: "d-1", FileName: "deck.pdf", Pages: []string{strings.Repeat("slide ", 30_000), "second"}},
	}
	in.PickDeck = true
	if _, err := asking(server, &seen).Analyze(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	asked := server.Requests()[0]
	if asked.Authorization != "Bearer sk-test" || asked.Model != "small-model" || !asked.Strict ||
		asked.MaxOutput != 2000 {
		t.Errorf("asked %q as %q, strict %v, for %d tokens", asked.Model, asked.Authorization, asked.Strict, asked.MaxOutput)
	}
	if strings.Contains(asked.System, "PASSED") || strings.Contains(asked.System, "Tidewise") {
		t.Error("text from outside stands in the instructions")
	}
	data := caseOf(t, asked)
	if data.Text != in.Text || data.Hints.Name != "Tidewise" || data.Hints.Status == "" {
		t.Errorf("the case is not the input with hints: %+v", data)
	}
	schema, err := json.Marshal(asked.Schema)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"s2"`, `"d1"`, `"referral"`, `"additionalProperties":false`} {
		if !strings.Contains(string(schema), want) {
			t.Errorf("the schema lacks %s", want)
		}
	}
	for _, id := range []string{"s-met", "d-1"} {
		if strings.Contains(string(asked.Body), id) {
			t.Errorf("the ID %s was sent: the same case would not be the same another time", id)
		}
	}
}

// sentCase is the description of a case, as a request to the model has it in JSON.
type sentCase struct {
	Text      string
	Hints     struct{ Name, Status string }
	Documents []struct {
		ID    string
		Pages []struct {
			Page int
			Text string
		}
	}
	Corrections []struct{ Field, Excerpt, Found, Chosen string }
}

func caseOf(t *testing.T, asked testkit.ModelRequest) sentCase {
	t.Helper()
	lines := strings.Split(asked.User, "\n")
	fence := strings.TrimPrefix(lines[0], "The fence is ")
	if len(fence) < 20 || len(lines) != 4 || lines[1] != fence || lines[3] != fence {
		t.Fatalf("the case is not fenced: %.200q", asked.User)
	}
	var data sentCase
	if err := json.Unmarshal([]byte(lines[2]), &data); err != nil {
		t.Fatal(err)
	}
	return data
}

func TestModelIsChecked(t *testing.T) {
	t.Parallel()
	invented := person(map[string]any{"name": "Jon Dove", "email": "jon@evil.example", "quote": "Jon Dove, CEO"})
	mixed := person(map[string]any{
		"email": "nadia@evil.example", "phone": "+1 555 000 1111", "title": "Queen",
		"background":       "She earned 900 millions before. She is a CEO.",
		"linkedin_profile": "https://www.linkedin.com/in/other",
	})
	tests := map[string]struct {
		changes map[string]any
		refused string
		check   func(analysis.Findings) bool
	}{
		"unknown stage": {map[string]any{"status": said("s9", "", "")}, "status", func(f analysis.Findings) bool {
			return f.StatusID == "s-met" && strings.Contains(f.StatusReasoning, "no such value")
		}},
		"stage made up": {
			map[string]any{"status": said("s3", "we have to pass", "")}, "status", func(f analysis.Findings) bool {
				return f.StatusID == "s-met" && !strings.Contains(f.StatusReasoning, "have to pass") &&
					strings.Contains(f.StatusReasoning, "the quote is not where")
			},
		},
		"stage without a quote": {
			map[string]any{"status": said("s3", "", "It is over.")}, "status", func(f analysis.Findings) bool {
				return f.StatusID == "s-met" && strings.Contains(f.StatusReasoning, "no quote")
			},
		},
		"quote is part of a word": {
			map[string]any{"status": said("s3", "ear te", "")}, "status", func(f analysis.Findings) bool {
				return f.StatusID == "s-met"
			},
		},
		"quote over line ends and in other case": {
			map[string]any{"status": said("s1", "ceo  +49 151", "")}, "", func(f analysis.Findings) bool {
				return f.StatusID == "s-new" && statusEvidence(f).Quote == "CEO\n+49 151"
			},
		},
		"first contact without a quote": {
			map[string]any{"status": said("s1", "", "Nothing happened yet.")}, "", func(f analysis.Findings) bool {
				return f.StatusID == "s-new" && statusEvidence(f).Confidence < 0.85
			},
		},
		"no stage": {map[string]any{"status": said("", "", "Nothing tells.")}, "", func(f analysis.Findings) bool {
			return f.StatusID == "s-met" && strings.Contains(f.StatusReasoning, "could not tell (Nothing tells)") &&
				strings.Contains(strings.Join(f.NeedsReview, " "), "status")
		}},
		"unknown source": {
			map[string]any{"source": said("spam", "", "")}, "source", func(f analysis.Findings) bool {
				return f.Source == "email"
			},
		},
		"source made up": {
			map[string]any{"source": said("event", "we met at Slush", "")}, "source", func(f analysis.Findings) bool {
				return f.Source == "email"
			},
		},
		"name made up": {map[string]any{"name": said("Evil Corp", "", "")}, "name", func(f analysis.Findings) bool {
			return f.Name == "Tidewise" && strings.Contains(strings.Join(f.Remarks, " "), "model's name was not used")
		}},
		"name with a made up quote": {
			map[string]any{"name": said("Ports", "Ports Inc. is raising", "")}, "name", func(f analysis.Findings) bool {
				return f.Name == "Tidewise"
			},
		},
		"a script as name": {
			map[string]any{"name": said("<script>alert(1)</script>", "", "")}, "name", func(f analysis.Findings) bool {
				return f.Name == "Tidewise"
			},
		},
		"a link as name": {
			map[string]any{"name": said("https://docsend.com/view/tw1", "", "")}, "name", func(f analysis.Findings) bool {
				return f.Name == "Tidewise"
			},
		},
		"founder made up": {
			map[string]any{"founders": []any{invented}}, "founders", func(f analysis.Findings) bool {
				return len(f.Founders) == 1 && f.Founders[0].Name == "Nadia Brandt"
			},
		},
		"one of two made up": {
			map[string]any{"founders": []any{invented, person(nil)}}, "founders", func(f analysis.Findings) bool {
				return len(f.Founders) == 1 && f.Founders[0].Email == "nadia@tidewise.io"
			},
		},
		"details made up": {map[string]any{"founders": []any{mixed}}, "", func(f analysis.Findings) bool {
			return f.Founders[0] == analysis.Founder{Name: "Nadia Brandt", Background: "She is a CEO."}
		}},
		"no founders": {map[string]any{"founders": []any{}}, "", func(f analysis.Findings) bool {
			return len(f.Founders) == 0 && strings.Contains(strings.Join(f.NeedsReview, " "), "founders")
		}},
		"summary with a link": {
			map[string]any{
				"summary": said(
					"Tidewise predicts flooding. Pay at https://evil.example now. Send money to x@evil.example. It has 9999 ports.",
					"", "",
				),
			}, "", func(f analysis.Findings) bool {
				return f.Summary == "Tidewise predicts flooding."
			},
		},
		"summary of something else": {
			map[string]any{"summary": said("Gardening supplies delivered weekly throughout Scotland.", "", "")},
			"summary",
			func(f analysis.Findings) bool {
				return !strings.Contains(f.Summary, "Scotland") && f.Summary != ""
			},
		},
		"summary of the prompt": {
			map[string]any{
				"summary": said(
					"You read what an investment team receives about a company that may be worth investing in. Tidewise predicts "+
						"flooding.", "", "",
				),
			}, "", func(f analysis.Findings) bool {
				return f.Summary == "Tidewise predicts flooding."
			},
		},
		"reasoning with links": {
			map[string]any{"status": said("s2", "", "Click https://evil.example")}, "", func(f analysis.Findings) bool {
				return !strings.Contains(f.StatusReasoning, "evil")
			},
		},
		"endless name": {
			map[string]any{"name": said(strings.Repeat("Tidewise", 9000), "", "")}, "name", func(f analysis.Findings) bool {
				return f.Name == "Tidewise"
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen observed
			got, err := asking(testkit.NewModelServer(t, testkit.ModelAnswer(with(tt.changes))), &seen).Analyze(t.Context(),
				pitch())
			if err != nil || !tt.check(got) || got.Analyzer != "small-model" {
				t.Errorf("err %v, got %+v", err, got)
			}
			if refused := strings.Join(seen.calls[0].Refused, " "); refused != tt.refused ||
				(seen.calls[0].Outcome == "refused_fields") != (tt.refused != "") {
				t.Errorf("refused %q (%s), want %q", refused, seen.calls[0].Outcome, tt.refused)
			}
		})
	}
}

func TestModelQuotesPages(t *testing.T) {
	t.Parallel()
	quote := func(document string, page int) map[string]any {
		return map[string]any{
			"value": "s3", "quote": "we passed on this one", "document": document, "page": page, "confidence": 0.8,
			"reasoning": "The memo says so.",
		}
	}
	for name, tt := range map[string]struct {
		document string
		page     int
		taken    bool
	}{"on the page": {"d1", 2, true}, "on another page": {"d1", 1, false}, "in no document": {
		"d7", 2, false,
	}, "in the text": {"", 0, false}, "past the last page": {"d1", 99, false}, "before the first": {"d1", -1, false}} {
		var seen observed
		in := pitch()
		in.Documents = []analysis.Document{
			{ID: "memo", FileName: "memo.pdf", Pages: []string{"Tidewise", "In May\nwe passed  on this one."}},
		}
		got, err := asking(testkit.NewModelServer(t,
			testkit.ModelAnswer(with(map[string]any{"status": quote(tt.document, tt.page)}))), &seen).Analyze(t.Context(), in)
		if err != nil || (got.StatusID == "s-pass") != tt.taken {
			t.Errorf("%s: err %v, status %s", name, err, got.StatusID)
		}
		if e := statusEvidence(got); tt.taken &&
			(e.DocumentID != "memo" || e.Page != 2 || e.Quote != "we passed  on this one" || e.End != 0) {
			t.Errorf("%s: the evidence is %+v", name, e)
		}
	}
}

func TestModelPicksDeck(t *testing.T) {
	t.Parallel()
	docs := []analysis.Document{
		{ID: "d-1", FileName: "a.pdf", Pages: []string{"x"}}, {ID: "d-2", FileName: "b.pdf", Pages: []string{"y"}},
	}
	for name, want := range map[string]string{"d2": "d-2", "d9": "", "": ""} {
		var seen observed
		in := pitch()
		in.Documents, in.PickDeck = docs, true
		server := testkit.NewModelServer(t,
			testkit.ModelAnswer(with(map[string]any{"deck": said(name, "", "It has slides.")})))
		got, err := asking(server, &seen).Analyze(t.Context(), in)
		if err != nil || got.DeckDocumentID != want {
			t.Errorf("the model says %q: err %v, got %q, want %q", name, err, got.DeckDocumentID, want)
		}
	}
}

// confidence returns the confidence in the status if the model answers with this stage and quote, and with own as its
// own confidence.
func confidence(t *testing.T, stage, quote string, own any) float64 {
	t.Helper()
	var seen observed
	field := said(stage, quote, "")
	field["confidence"] = own
	got, err := asking(testkit.NewModelServer(t, testkit.ModelAnswer(with(map[string]any{"status": field}))), &seen).
		Analyze(t.Context(), pitch())
	if err != nil {
		t.Fatal(err)
	}
	return statusEvidence(got).Confidence
}

func TestModelConfidence(t *testing.T) {
	t.Parallel()
	agreed, against := confidence(t, "s2", "the call on Tuesday", 0.8), confidence(t, "s1", "Dear team", 0.8)
	if agreed < 0.72 || against >= 0.8 || agreed <= against {
		t.Errorf("%.2f where the rules agree, %.2f where they do not", agreed, against)
	}
	if sure, unsure := confidence(t, "s1", "Dear team", 0.9), confidence(t, "s1", "Dear team", 0.3); sure <= unsure {
		t.Errorf("a sure model has %.2f, an unsure one %.2f", sure, unsure)
	}
	for _, odd := range []any{-3, 0, 17, 1e300} {
		if got := confidence(t, "s1", "Dear team", odd); got <= 0.2 || got >= 0.7 {
			t.Errorf("a confidence of %v came to %.2f", odd, got)
		}
	}
}
