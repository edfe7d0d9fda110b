package model

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"

	"dealflow/internal/analysis"
)

// The prompts. Their hash is their version: an answer to prompts of another version is not reused.
var (
	//go:embed prompts/read.md
	promptRead string
	//go:embed prompts/shape.md
	promptShape string
)

// Call describes one analysis by the model. Outcome is "ok"; "refused_fields", if the checks refused some of the
// answer; "cached", if a stored answer was used, whatever the checks refused; else the reason why the rules were used:
// "breaker", "timeout", "rate_limited", "server_error", "refused_request", "unreachable", "malformed", "truncated",
// "refusal", "empty" or "canceled". Tokens are 0 if the server did not count them.
type Call struct {
	Outcome                        string
	Took                           time.Duration
	PromptTokens, CompletionTokens int
	Refused                        []string // fields
}

// OpenAI is the analyzer that calls a model, checks its values against the text, and uses the rules' values where they
// fail. It may be used by many goroutines.
type OpenAI struct {
	options OpenAIOptions
	caller  *modelCaller
	version string // of the prompts
}

// NewOpenAI builds the analyzer, with the defaults of OpenAIOptions for zero values. It does not connect to the server
// yet.
func NewOpenAI(options OpenAIOptions) *OpenAI {
	options = withDefaults(options)
	sum := sha256.Sum256([]byte(promptRead + "\x00" + promptShape))
	return &OpenAI{options: options, caller: newModelCaller(options), version: hex.EncodeToString(sum[:8])}
}

// Analyze calls the model, or looks its answer up in in.Memory, checks the findings, and returns them, with the rules'
// values in place of those that failed the check. If the model fails, all findings are the rules', and Fallback and the
// reasonings say why. It returns an error only if ctx has ended.
func (o *OpenAI) Analyze(ctx context.Context, in analysis.Input) (analysis.Findings, error) {
	hints, err := o.options.Rules.Analyze(ctx, in)
	if err != nil {
		return analysis.Findings{}, err
	}
	begin := time.Now()
	asked := o.prepareCase(in, hints)
	said, failure := o.consult(ctx, in, asked)
	if ctx.Err() != nil {
		failure = &modelFailure{outcome: "canceled", reason: "the analysis was stopped"}
	}
	call := Call{
		Outcome: said.outcome, PromptTokens: said.usage.PromptTokens, CompletionTokens: said.usage.CompletionTokens,
	}
	var found analysis.Findings
	if failure != nil {
		call.Outcome = failure.outcome
		found = takeOver(hints, in, o.options.Model, failure.reason)
	} else if found, call.Refused = o.checked(said.answer, in, hints, asked); len(call.Refused) > 0 &&
		call.Outcome == "ok" {
		call.Outcome = "refused_fields"
	}
	call.Took = time.Since(begin)
	if o.options.Observe != nil {
		o.options.Observe(call)
	}
	return found, ctx.Err()
}

// said is the model's answer. outcome is "ok" if it is new, and "cached" if it was stored; usage is then zero.
type said struct {
	answer  modelAnswer
	usage   openai.Usage
	outcome string
}

// consult returns the stored answer, or calls the model and stores its answer. It does not store answers of more than
// longestKept bytes or with a zero byte, and calls the model again if a stored answer cannot be parsed. If the model
// fails, only usage is set beside the failure, which is nil otherwise.
func (o *OpenAI) consult(ctx context.Context, in analysis.Input, asked preparedCase) (said, *modelFailure) {
	key := o.cacheKey(asked)
	if text, found := recall(ctx, in.Memory, key); found {
		if answer, err := parseAnswer(text); err == nil {
			return said{answer: answer, outcome: "cached"}, nil
		}
	}
	response, err := o.caller.call(ctx, asked)
	if err != nil {
		return said{usage: response.Usage}, failureOf(err, o.options.Timeout)
	}
	text, err := contentOf(response)
	if err != nil {
		return said{usage: response.Usage}, failureOf(err, o.options.Timeout)
	}
	answer, err := parseAnswer(text)
	if err != nil {
		return said{usage: response.Usage}, failureOf(err, o.options.Timeout)
	}
	keep(ctx, in.Memory, key, text)
	return said{answer: answer, usage: response.Usage, outcome: "ok"}, nil
}

// cacheKey returns a hash of all that an answer depends on: the model, the prompts, the limit on its length, and the
// whole case with text, pages, stages, hints and corrections.
func (o *OpenAI) cacheKey(asked preparedCase) string {
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%s\x00%s\x00%d\x00", o.options.Model, o.version, o.options.MaxOutput)
	_, _ = sum.Write(asked.data)
	return hex.EncodeToString(sum.Sum(nil))
}

// longestKept is the largest number of bytes of an answer that is stored.
const longestKept = 64 << 10

func recall(ctx context.Context, m *analysis.Memory, key string) (string, bool) {
	if m == nil {
		return "", false
	}
	return m.Recall(ctx, key)
}

func keep(ctx context.Context, m *analysis.Memory, key, answer string) {
	if m != nil && len(answer) <= longestKept && !strings.ContainsRune(answer, 0) {
		m.Keep(ctx, key, answer)
	}
}

// takeOver returns the rules' findings with a Fallback. Every reasoning that was requested begins with it.
func takeOver(hints analysis.Findings, in analysis.Input, model, reason string) analysis.Findings {
	hints.Fallback = fmt.Sprintf("The model “%s” could not be used: %s. The built-in rules decided.", model, reason)
	if in.DetectStatus {
		hints.StatusReasoning = hints.Fallback + " " + hints.StatusReasoning
	}
	if in.DetectSource {
		hints.SourceReasoning = hints.Fallback + " " + hints.SourceReasoning
	}
	if in.PickDeck {
		hints.DeckReasoning = hints.Fallback + " " + hints.DeckReasoning
	}
	return hints
}
