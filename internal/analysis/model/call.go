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

// modelCaller sends cases to the server. It repeats a request after failures that pass, asks in a plainer form where
// the server does not know the strict one, and sends nothing while the server is known to be dead.
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

// errStopped says that the caller ended the call, which is no failure of the server.
var errStopped = errors.New("the caller stopped")

// isDead reports whether an error means that the server answers nobody, and not only that it refuses this request.
func isDead(err error) bool {
	switch statusCode(err) {
	case 0, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests,
		http.StatusRequestTimeout:
		return !isSyntax(err)
	default:
		return statusCode(err) >= http.StatusInternalServerError
	}
}

// call returns the server's response within the time limit. The error is one that failureOf explains.
func (c *modelCaller) call(ctx context.Context, asked exhibit) (openai.ChatCompletionResponse, error) {
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

// inSomeForm asks in the form that formMemory remembers, at first the strictest. While the server answers 400 or 422,
// it asks again in the next plainer form. It returns the answer to the last form that it tried.
func (c *modelCaller) inSomeForm(ctx context.Context, asked exhibit) (openai.ChatCompletionResponse, error) {
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

// attempts sends one request, again after failures that pass, as long as there is time for it.
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
		if passes(ctx, err) {
			return retry.RetryableError(err)
		}
		return err
	})
	return response, err
}

// backoff returns the waits between attempts: longer each time, or as long as the server asks. It ends where the time
// would run out.
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

// attempt is what the transport learns from one attempt beside the response.
type attempt struct{ retryAfter time.Duration }

type attemptKey struct{}

// limited is a client that fails on answers that are too long to be meant, so that a broken server cannot fill the
// memory, and that notes how long the server asks to wait.
type limited struct{ client *http.Client }

const largestAnswer = 2 << 20

// Do sends the request; reading more than 2 MB of the answer is an error.
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

// retryAfter returns the wait in a Retry-After header, which holds seconds or a date; 0 where it holds neither.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil {
		return time.Duration(min(max(seconds, 0), 3600)) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// The forms in which an answer can be asked for, the strictest first. Not every server with OpenAI's interface knows
// all of them.
const (
	formSchema = iota
	formObject
	formPlain
)

// formMemory remembers for an hour that the server did not take the strict form, so that not every analysis asks in
// vain.
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
