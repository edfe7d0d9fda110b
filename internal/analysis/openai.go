package analysis

import (
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"time"

	"github.com/sashabaranov/go-openai"
	"github.com/sethvargo/go-retry"
)

//go:embed prompt.md
var prompt string

// OpenAIOptions says how to ask a model. Zero values stand for the defaults named here.
type OpenAIOptions struct {
	BaseURL string        // of any server with OpenAI's interface, ending in /v1; default OpenAI's own
	Key     string        // sent as a bearer token; "" sends none
	Model   string        // required
	Timeout time.Duration // for all attempts together, default 20 s
	Retries int           // further attempts after 429, 5xx and broken connections, default 2; below 0 none
	Backoff time.Duration // before the first of them, then doubled, default 250 ms

	MaxInput  int // characters of text and documents that are sent, default 40000
	MaxOutput int // tokens that the model may answer with, default 2000

	Rules *Rules // gives the hints and takes over when the model fails; required

	// Observe, when set, is called once for each analysis that asked the model: with how it ended ("ok", "timeout",
	// "rate_limited", "server_error", "refused_request", "unreachable", "malformed", "truncated", "refusal", "empty",
	// "canceled"), how long it took, and what it cost in tokens (0 when the model did not say).
	Observe func(outcome string, seconds float64, promptTokens, completionTokens int)

	HTTPClient *http.Client // default one without redirects to other hosts
}

// OpenAI is the analyzer that asks a model, checks what it says against the text, and lets the rules take over where it
// fails. It may be used by many goroutines.
type OpenAI struct {
	options OpenAIOptions
	client  *openai.Client
}

// NewOpenAI builds the analyzer. It does not talk to the server yet.
func NewOpenAI(options OpenAIOptions) *OpenAI {
	options = withDefaults(options)
	config := openai.DefaultConfig(options.Key)
	if options.BaseURL != "" {
		config.BaseURL = options.BaseURL
	}
	config.HTTPClient = limited{options.HTTPClient}
	return &OpenAI{options: options, client: openai.NewClientWithConfig(config)}
}

func withDefaults(o OpenAIOptions) OpenAIOptions {
	o.Timeout = positive(o.Timeout, 20*time.Second)
	o.Backoff = positive(o.Backoff, 250*time.Millisecond)
	o.MaxInput = positive(o.MaxInput, 40_000)
	o.MaxOutput = positive(o.MaxOutput, 2000)
	switch {
	case o.Retries == 0:
		o.Retries = 2
	case o.Retries < 0:
		o.Retries = 0
	}
	if o.Rules == nil {
		o.Rules = NewRules(DefaultDeckClasses())
	}
	if o.HTTPClient == nil {
		o.HTTPClient = &http.Client{}
	}
	return o
}

func positive[T int | time.Duration](value, otherwise T) T {
	if value > 0 {
		return value
	}
	return otherwise
}

// limited cuts answers that are too long to be one, so that a broken server costs no memory.
type limited struct{ client *http.Client }

const largestAnswer = 2 << 20

// Do sends the request; reading more than 2 MB of the answer is an error.
func (l limited) Do(request *http.Request) (*http.Response, error) {
	response, err := l.client.Do(request) //nolint:gosec // the operator's configuration names the server
	if err != nil {
		return nil, err
	}
	response.Body = http.MaxBytesReader(nil, response.Body, largestAnswer)
	return response, nil
}

// Analyze asks the model and gives its findings, checked, with the rules' in place of what did not stand the check. Where
// the model fails, all findings are the rules', and Fallback and the reasonings say why. The only error is that of ctx.
func (o *OpenAI) Analyze(ctx context.Context, in Input) (Findings, error) {
	hints, err := o.options.Rules.Analyze(ctx, in)
	if err != nil {
		return Findings{}, err
	}
	answer, trouble := o.consult(ctx, in, hints)
	if err := ctx.Err(); err != nil {
		return Findings{}, err
	}
	if trouble != "" {
		return takeOver(hints, in, o.options.Model, trouble), nil
	}
	return o.checked(answer, in, hints), nil
}

// consult asks the model and reports how that went; trouble says in plain words why there is no answer.
func (o *OpenAI) consult(ctx context.Context, in Input, hints Findings) (answer modelAnswer, trouble string) {
	begin := time.Now()
	answer, usage, err := o.ask(ctx, in, hints)
	failure := failureOf(err, o.options.Timeout)
	if ctx.Err() != nil {
		failure = &modelFailure{outcome: "canceled", reason: "the analysis was stopped"}
	}
	o.observe(failure, time.Since(begin), usage)
	if failure != nil {
		trouble = failure.reason
	}
	return answer, trouble
}

func (o *OpenAI) observe(failure *modelFailure, took time.Duration, usage openai.Usage) {
	if o.options.Observe == nil {
		return
	}
	outcome := "ok"
	if failure != nil {
		outcome = failure.outcome
	}
	o.options.Observe(outcome, took.Seconds(), usage.PromptTokens, usage.CompletionTokens)
}

// takeOver gives the rules' findings, with every reasoning saying that the model failed and why.
func takeOver(hints Findings, in Input, model, reason string) Findings {
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

// ask sends the case, again after failures that pass, within the time limit.
func (o *OpenAI) ask(ctx context.Context, in Input, hints Findings) (modelAnswer, openai.Usage, error) {
	ctx, cancel := context.WithTimeout(ctx, o.options.Timeout)
	defer cancel()
	request, err := o.request(in, hints)
	if err != nil {
		return modelAnswer{}, openai.Usage{}, err
	}
	var response openai.ChatCompletionResponse
	backoff := retry.WithMaxRetries(uint64(o.options.Retries), retry.WithJitterPercent(20, retry.NewExponential(o.options.Backoff))) //nolint:gosec // not negative, see withDefaults
	err = retry.Do(ctx, backoff, func(ctx context.Context) error {
		var err error
		response, err = o.client.CreateChatCompletion(ctx, request)
		if passes(ctx, err) {
			return retry.RetryableError(err)
		}
		return err
	})
	if err != nil {
		return modelAnswer{}, openai.Usage{}, err
	}
	answer, err := readAnswer(response)
	return answer, response.Usage, err
}
