package model

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/sashabaranov/go-openai"
	"github.com/sethvargo/go-retry"
	"github.com/sony/gobreaker/v2"
)

// modelCaller sends cases to the server. It repeats a request after temporary failures, uses a less strict form of
// request if the server refuses the strict one, and for a while sends nothing to a server that failed several times in
// a row. It may be used by many goroutines.
type modelCaller struct {
	options OpenAIOptions
	client  *openai.Client
	breaker *gobreaker.CircuitBreaker[openai.ChatCompletionResponse]
	form    formMemory
}

func newModelCaller(options OpenAIOptions) *modelCaller {
	config := openai.DefaultConfig(options.Key)
	if options.BaseURL != "" {
		config.BaseURL = options.BaseURL
	}
	config.HTTPClient = limited{options.HTTPClient}
	return &modelCaller{
		options: options, client: openai.NewClientWithConfig(config),
		breaker: gobreaker.NewCircuitBreaker[openai.ChatCompletionResponse](gobreaker.Settings{
			MaxRequests: 1, Timeout: options.BreakFor,
			//nolint:gosec // positive, see withDefaults
			ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= uint32(options.BreakAfter) },
			IsSuccessful: func(err error) bool { return err == nil || !isDead(err) },
			IsExcluded:   func(err error) bool { return errors.Is(err, errStopped) },
		}),
	}
}

// errStopped says that the caller ended the call, which is not a failure of the server.
var errStopped = errors.New("the caller stopped")

// isDead reports whether an error means that the server cannot be used at all, and not only that it refuses this
// request.
func isDead(err error) bool {
	switch statusCode(err) {
	case 0, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests,
		http.StatusRequestTimeout:
		return !isSyntax(err)
	default:
		return statusCode(err) >= http.StatusInternalServerError
	}
}

// call returns the server's response within the time limit. The error is errStopped if ctx is done; failureOf explains
// any other.
func (c *modelCaller) call(ctx context.Context, asked preparedCase) (openai.ChatCompletionResponse, error) {
	return c.breaker.Execute(func() (openai.ChatCompletionResponse, error) {
		limited, cancel := context.WithTimeout(ctx, c.options.Timeout)
		defer cancel()
		response, err := c.inSomeForm(limited, asked)
		if ctx.Err() != nil {
			return response, errStopped
		}
		return response, err
	})
}

// inSomeForm sends the case in the form that formMemory remembers, at first the strictest. If the server answers 400 or
// 422, it sends the case again in the next less strict form. It returns the answer to the last form that it tried.
func (c *modelCaller) inSomeForm(ctx context.Context, asked preparedCase) (openai.ChatCompletionResponse, error) {
	for form := c.form.best(); ; form++ {
		response, err := c.attempts(ctx, asked.request(c.options, form))
		if status := statusCode(err); form == formPlain ||
			status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
			if err == nil {
				c.form.took(form)
			}
			return response, err
		}
	}
}

// attempts sends one request and returns the response. After temporary failures it sends the request again, at most
// Retries times, unless the wait before the next attempt would last beyond the time limit. One attempt may take two
// thirds of the time limit. The error is that of the last attempt, or of ctx if it ends during a wait.
func (c *modelCaller) attempts(
	ctx context.Context, request openai.ChatCompletionRequest,
) (openai.ChatCompletionResponse, error) {
	var response openai.ChatCompletionResponse
	last := &attempt{}
	err := retry.Do(ctx, c.backoff(ctx, last), func(ctx context.Context) error {
		*last = attempt{}
		limited, cancel := context.WithTimeout(context.WithValue(ctx, attemptKey{}, last), c.options.Timeout*2/3)
		defer cancel()
		var err error
		response, err = c.client.CreateChatCompletion(limited, request)
		if isTemporary(ctx, err) {
			return retry.RetryableError(err)
		}
		return err
	})
	return response, err
}

// backoff returns the waits between attempts: longer each time, and at least as long as the server asked in last, which
// is the attempt before. It ends after Retries waits, or if the next wait would last beyond the deadline that ctx must
// have.
func (c *modelCaller) backoff(ctx context.Context, last *attempt) retry.Backoff {
	tries, wait := 0, c.options.Backoff
	return retry.BackoffFunc(func() (time.Duration, bool) {
		if tries++; tries > c.options.Retries {
			return 0, true
		}
		next := max(wait+rand.N(wait/4+1), last.retryAfter) //nolint:gosec // only spreads the attempts
		wait *= 2
		deadline, _ := ctx.Deadline()
		return next, time.Until(deadline) <= next
	})
}

// attempt records how long the server asked in one attempt to wait, 0 if it did not.
type attempt struct{ retryAfter time.Duration }

type attemptKey struct{}

// limited is a client that fails on answers longer than largestAnswer, so that a broken server cannot fill the memory.
// It records in the attempt of the request's context how long the server asks to wait.
type limited struct{ client *http.Client }

const largestAnswer = 2 << 20

// Do sends the request. Reading more than 2 MB of the answer returns an error.
func (l limited) Do(request *http.Request) (*http.Response, error) {
	response, err := l.client.Do(request) //nolint:gosec // the operator's configuration names the server
	if err != nil {
		return nil, err
	}
	if last, found := request.Context().Value(attemptKey{}).(*attempt); found {
		last.retryAfter = retryAfter(response.Header.Get("Retry-After"))
	}
	response.Body = http.MaxBytesReader(nil, response.Body, largestAnswer)
	return response, nil
}

// retryAfter returns the wait in a Retry-After header, which is a date or a number of seconds. Of a number, at most an
// hour counts. It returns 0 for anything else.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil {
		return time.Duration(min(max(seconds, 0), 3600)) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// The forms in which an answer can be requested, the strictest first: by a JSON schema, as a JSON object, and in the
// prompt alone. Not every server with OpenAI's interface supports all of them.
const (
	formSchema = iota
	formObject
	formPlain
)

// formMemory remembers for an hour the form that the server last accepted, so that not every analysis tries a stricter
// one in vain. It may be used by many goroutines.
type formMemory struct {
	mu    sync.Mutex
	form  int
	until time.Time
}

func (f *formMemory) best() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Now().After(f.until) {
		return formSchema
	}
	return f.form
}

func (f *formMemory) took(form int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if form != f.form || form == formSchema || time.Now().After(f.until) {
		f.form, f.until = form, time.Now().Add(time.Hour)
	}
}
