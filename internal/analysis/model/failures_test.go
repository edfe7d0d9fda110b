package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/model"
	"dealflow/internal/testkit"
)

func fenced(answer any) testkit.ModelReply {
	data, err := json.Marshal(answer)
	if err != nil {
		return testkit.ModelStatus(500)
	}
	return testkit.ModelText("```json\n"+string(data)+"\n```", "stop")
}

func wordy(answer any) testkit.ModelReply {
	data, err := json.Marshal(answer)
	if err != nil {
		return testkit.ModelStatus(500)
	}
	return testkit.ModelText("<think>Is it {easy}?</think>\nHere it is:\n"+string(data)+"\nAnything else?", "stop")
}

func TestModelFails(t *testing.T) {
	t.Parallel()
	good := testkit.ModelAnswer(goodAnswer())
	tests := map[string]struct {
		replies  []testkit.ModelReply
		outcome  string
		why      string // what the reasonings must say; "" where the model's answer counts
		requests int
	}{
		"500, then well": {[]testkit.ModelReply{testkit.ModelStatus(500), good}, "ok", "", 2},
		"429, 503, then well": {
			[]testkit.ModelReply{testkit.ModelStatus(429), testkit.ModelStatus(503), good}, "ok", "", 3,
		},
		"broken off, then well":  {[]testkit.ModelReply{testkit.ModelClose(), good}, "ok", "", 2},
		"slow, but in time":      {[]testkit.ModelReply{testkit.ModelSlow(50*time.Millisecond, good)}, "ok", "", 1},
		"in a markdown fence":    {[]testkit.ModelReply{fenced(goodAnswer())}, "ok", "", 1},
		"among many words":       {[]testkit.ModelReply{wordy(goodAnswer())}, "ok", "", 1},
		"comes again, then well": {[]testkit.ModelReply{testkit.ModelRetryAfter(429, "0"), good}, "ok", "", 2},
		"comes again too late": {
			[]testkit.ModelReply{testkit.ModelRetryAfter(429, "3000"), good}, "rate_limited", "too many requests", 1,
		},
		"500 for ever":            {[]testkit.ModelReply{testkit.ModelStatus(500)}, "server_error", "status 500", 3},
		"429 for ever":            {[]testkit.ModelReply{testkit.ModelStatus(429)}, "rate_limited", "too many requests", 3},
		"wrong key":               {[]testkit.ModelReply{testkit.ModelStatus(401)}, "refused_request", "check the key", 1},
		"no such model":           {[]testkit.ModelReply{testkit.ModelStatus(400)}, "refused_request", "check the key", 3},
		"breaks every connection": {[]testkit.ModelReply{testkit.ModelClose()}, "unreachable", "broke the connection", 3},
		"hangs":                   {[]testkit.ModelReply{testkit.ModelHang()}, "timeout", "did not answer within", 2},
		"hangs, then well":        {[]testkit.ModelReply{testkit.ModelHang(), good}, "ok", "", 2},
		"floods":                  {[]testkit.ModelReply{testkit.ModelFlood()}, "malformed", "too long", 1},
		"no JSON at all":          {[]testkit.ModelReply{testkit.ModelGarbage()}, "malformed", "no JSON", 1},
		"prose instead of JSON": {
			[]testkit.ModelReply{testkit.ModelText("The company is Tidewise.", "stop")}, "malformed", "no JSON", 1,
		},
		"JSON that breaks off": {
			[]testkit.ModelReply{testkit.ModelText(`{"name":{"value":"Tidewise"},"founders":[{"name":"Nad`, "stop")},
			"malformed", "no JSON", 1,
		},
		"another shape": {
			[]testkit.ModelReply{testkit.ModelAnswer(map[string]any{"company": "Tidewise"})}, "malformed", "lacked", 1,
		},
		"wrong types": {
			[]testkit.ModelReply{testkit.ModelAnswer(map[string]any{"name": 7, "founders": "Nadia"})},
			"malformed",
			"no JSON of the agreed shape", 1,
		},
		"an array":  {[]testkit.ModelReply{testkit.ModelAnswer([]any{1, 2})}, "malformed", "no JSON of the agreed shape", 1},
		"null":      {[]testkit.ModelReply{testkit.ModelText("null", "stop")}, "malformed", "lacked", 1},
		"cut off":   {[]testkit.ModelReply{testkit.ModelText(`{"name":"Tide`, "length")}, "truncated", "cut off", 1},
		"refuses":   {[]testkit.ModelReply{testkit.ModelRefusal()}, "refusal", "refused to answer", 1},
		"filtered":  {[]testkit.ModelReply{testkit.ModelText("", "content_filter")}, "refusal", "refused to answer", 1},
		"empty":     {[]testkit.ModelReply{testkit.ModelText(" ", "stop")}, "empty", "answered nothing", 1},
		"no choice": {[]testkit.ModelReply{testkit.ModelEmpty()}, "empty", "answered nothing", 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen observed
			server := testkit.NewModelServer(t, tt.replies...)
			limit := 20 * time.Second
			if strings.HasPrefix(name, "hangs") {
				limit = 1500 * time.Millisecond
			}
			begin := time.Now()
			got, err := askingWith(model.OpenAIOptions{Timeout: limit, Retries: 2}, server, &seen).Analyze(t.Context(),
				pitch())
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begin); took > limit+2*time.Second {
				t.Errorf("took %v, past the limit of %v", took, limit)
			}
			if n := len(server.Requests()); n != tt.requests {
				t.Errorf("%d requests, want %d", n, tt.requests)
			}
			if seen.outcomes() != tt.outcome {
				t.Errorf("observed %v, want %q once", seen.outcomes(), tt.outcome)
			}
			checkTakeOver(t, got, tt.why)
		})
	}
}

// checkTakeOver checks that the findings are those of the text. If why is "", the model must have decided; otherwise
// the rules must have, and the reasonings must contain why.
func checkTakeOver(t *testing.T, got analysis.Findings, why string) {
	t.Helper()
	if got.Name != "Tidewise" || got.StatusID != "s-met" || got.Source != "email" || len(got.Founders) != 1 {
		t.Errorf("the findings are not those of the text: %+v", got)
	}
	if why == "" {
		if got.Analyzer != "small-model" || got.Fallback != "" {
			t.Errorf("the model's answer was not taken: %+v", got)
		}
		return
	}
	if got.Analyzer != "rules" {
		t.Errorf("analyzer %q, want rules", got.Analyzer)
	}
	for _, reasoning := range []string{got.Fallback, got.StatusReasoning, got.SourceReasoning} {
		if !strings.Contains(reasoning, why) || !strings.Contains(reasoning, "small-model") ||
			!strings.Contains(reasoning, "built-in rules decided") {
			t.Errorf("the reasoning does not say that the model failed since %q: %q", why, reasoning)
		}
		if strings.Contains(reasoning, "fake trouble") || strings.Contains(reasoning, "It works") {
			t.Errorf("what the server wrote reached the reasoning: %q", reasoning)
		}
	}
}

func TestModelUnreachable(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	var seen observed
	analyzer := model.NewOpenAI(model.OpenAIOptions{
		BaseURL: server.URL + "/v1", Model: "small-model", Retries: -1, Observe: seen.see, Rules: builtIn(),
	})
	got, err := analyzer.Analyze(t.Context(), pitch())
	if err != nil || got.Analyzer != "rules" || !strings.Contains(got.Fallback, "could not be reached") {
		t.Errorf("err %v, got %+v", err, got)
	}
}

func TestModelStopsWithTheCaller(t *testing.T) {
	t.Parallel()
	var seen observed
	server := testkit.NewModelServer(t, testkit.ModelHang())
	analyzer := asking(server, &seen)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err := analyzer.Analyze(ctx, pitch())
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 1500*time.Millisecond {
		t.Errorf("err %v after %v", err, time.Since(begin))
	}
	if seen.outcomes() != "canceled" {
		t.Errorf("observed %v", seen.outcomes())
	}
}

// A server that does not know the strict form is asked in a plainer one, and from then on in that one at once.
func TestModelOfAnOlderServer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		knows []string
		asked string
	}{
		"knows schemas": {[]string{"json_schema", "json_object", ""}, "json_schema json_schema"},
		"knows JSON":    {[]string{"json_object", ""}, "json_schema json_object json_object"},
		"knows nothing": {[]string{""}, "json_schema json_object  "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen observed
			server := testkit.NewModelServer(t, testkit.ModelKnowing(fenced(goodAnswer()), tt.knows...))
			analyzer := asking(server, &seen)
			for range 2 {
				got, err := analyzer.Analyze(t.Context(), pitch())
				if err != nil {
					t.Fatal(err)
				}
				checkTakeOver(t, got, "")
			}
			var formats []string
			for _, asked := range server.Requests() {
				formats = append(formats, asked.Format)
				if asked.MaxOutput != 2000 {
					t.Errorf("form %q is not bounded", asked.Format)
				}
				if asked.Format != "json_schema" && !strings.Contains(asked.System, `"additionalProperties":false`) {
					t.Errorf("form %q does not state the shape", asked.Format)
				}
			}
			if got := strings.Join(formats, " "); got != tt.asked {
				t.Errorf("asked %q, want %q", got, tt.asked)
			}
		})
	}
}

// A dead server costs some analyses their time, and then none until it has had a rest; then one analysis asks it again.
func TestModelBreaker(t *testing.T) {
	t.Parallel()
	var seen observed
	dead := testkit.ModelStatus(503)
	server := testkit.NewModelServer(t, dead, dead, dead, testkit.ModelAnswer(goodAnswer()))
	analyzer := askingWith(model.OpenAIOptions{Retries: -1, BreakAfter: 3, BreakFor: 400 * time.Millisecond}, server,
		&seen)
	for range 6 {
		got, err := analyzer.Analyze(t.Context(), pitch())
		if err != nil {
			t.Fatal(err)
		}
		checkTakeOver(t, got, "The")
	}
	if n := len(server.Requests()); n != 3 {
		t.Errorf("%d requests to a dead server, want 3", n)
	}
	time.Sleep(450 * time.Millisecond)
	got, err := analyzer.Analyze(t.Context(), pitch())
	if err != nil {
		t.Fatal(err)
	}
	checkTakeOver(t, got, "")
	if want := "server_error server_error server_error breaker breaker breaker ok"; seen.outcomes() != want {
		t.Errorf("observed %q, want %q", seen.outcomes(), want)
	}
}

// Answers that cannot be used, and requests that are refused, do not count as failures of the server.
func TestModelBreakerMindsTheServerOnly(t *testing.T) {
	t.Parallel()
	var seen observed
	server := testkit.NewModelServer(t, testkit.ModelRefusal(), testkit.ModelGarbage(), testkit.ModelStatus(400),
		testkit.ModelStatus(400), testkit.ModelStatus(400), testkit.ModelEmpty(), testkit.ModelAnswer(goodAnswer()))
	analyzer := askingWith(model.OpenAIOptions{Retries: -1, BreakAfter: 1, BreakFor: time.Hour}, server, &seen)
	for range 5 {
		if _, err := analyzer.Analyze(t.Context(), pitch()); err != nil {
			t.Fatal(err)
		}
	}
	if want := "refusal malformed refused_request empty ok"; seen.outcomes() != want {
		t.Errorf("observed %q, want %q", seen.outcomes(), want)
	}
}
