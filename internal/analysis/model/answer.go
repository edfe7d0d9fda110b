package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"
	"github.com/sony/gobreaker/v2"

	"dealflow/internal/analysis"
)

// modelAnswer is the JSON of a model's answer. Name and Founders are pointers, to distinguish an answer of another
// shape from an empty one.
type modelAnswer struct {
	Name     *modelField     `json:"name"`
	Founders *[]modelFounder `json:"founders"`
	Summary  modelField      `json:"summary"`
	Status   modelField      `json:"status"`
	Source   modelField      `json:"source"`
	Deck     modelField      `json:"deck"`
}

// modelBasis is the passage that supports a value, as the model states it, unchecked. If the model follows the prompt,
// Document is the short name of a document in the request, such as "d1", Page counts from 1, or is 0 for the text, and
// Confidence is from 0 to 1.
type modelBasis struct {
	Quote      string  `json:"quote"`
	Document   string  `json:"document"` // "" is the text
	Page       int     `json:"page"`
	Confidence float64 `json:"confidence"`
}

type modelField struct {
	Value     string `json:"value"`
	Reasoning string `json:"reasoning"`
	modelBasis
}

type modelFounder struct {
	analysis.Founder
	modelBasis
}

// modelFailure is the reason why a model's answer could not be used: the Outcome of a Call, and a part of a sentence
// for people.
type modelFailure struct {
	outcome, reason string
}

// Error returns the reason.
func (f *modelFailure) Error() string { return f.reason }

// contentOf returns the message in the response; the error is a *modelFailure.
func contentOf(response openai.ChatCompletionResponse) (string, error) {
	if len(response.Choices) == 0 {
		return "", &modelFailure{"empty", "it answered nothing"}
	}
	message, finish := response.Choices[0].Message, response.Choices[0].FinishReason
	switch {
	case message.Refusal != "" || finish == openai.FinishReasonContentFilter:
		return "", &modelFailure{"refusal", "it refused to answer"}
	case finish == openai.FinishReasonLength:
		return "", &modelFailure{"truncated", "its answer was cut off at the token limit"}
	case strings.TrimSpace(message.Content) == "":
		return "", &modelFailure{"empty", "it answered nothing"}
	}
	return message.Content, nil
}

// parseAnswer parses the JSON in a model's message. Some models write Markdown or words around their JSON, or their
// thoughts before it, whatever the prompt says. Name and Founders of the answer are not nil; the error is a
// *modelFailure.
func parseAnswer(content string) (modelAnswer, error) {
	if i := strings.LastIndex(content, "</think>"); i >= 0 {
		content = content[i:]
	}
	start := strings.IndexByte(content, '{')
	if start < 0 {
		if strings.TrimSpace(content) == "null" {
			return modelAnswer{}, &modelFailure{"malformed", "its answer lacked the agreed members"}
		}
		return modelAnswer{}, &modelFailure{"malformed", "its answer was no JSON of the agreed shape"}
	}
	var answer modelAnswer
	if err := json.NewDecoder(strings.NewReader(content[start:])).Decode(&answer); err != nil {
		return modelAnswer{}, &modelFailure{"malformed", "its answer was no JSON of the agreed shape"}
	}
	if answer.Name == nil || answer.Founders == nil {
		return modelAnswer{}, &modelFailure{"malformed", "its answer lacked the agreed members"}
	}
	return answer, nil
}

// isTemporary reports whether another attempt may succeed after an error: too many requests, a server's own error, a
// time-out of the attempt, or a broken connection. ctx is the context of all attempts together; once it has ended,
// isTemporary reports false.
func isTemporary(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil {
		return false
	}
	if status := statusCode(err); status != 0 {
		return status == http.StatusTooManyRequests || status == http.StatusRequestTimeout ||
			status >= http.StatusInternalServerError
	}
	var network net.Error
	return errors.As(err, &network) || isBroken(err)
}

func statusCode(err error) int {
	if api, ok := errors.AsType[*openai.APIError](err); ok {
		return api.HTTPStatusCode
	}
	if request, ok := errors.AsType[*openai.RequestError](err); ok {
		return request.HTTPStatusCode
	}
	return 0
}

// isBroken reports whether err says that the connection ended before the whole answer came, rather than that the answer
// is not JSON.
func isBroken(err error) bool {
	text := err.Error()
	return strings.Contains(text, "EOF") || strings.Contains(text, "connection reset") ||
		strings.Contains(text, "broken pipe")
}

// failureOf returns a *modelFailure that says what went wrong, or nil if err is nil. It never contains text of the
// server, which may be anything. limit is named in the text for a time-out.
func failureOf(err error, limit time.Duration) *modelFailure {
	var failure *modelFailure
	status := statusCode(err)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failure):
		return failure
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return &modelFailure{"breaker", "its server failed several times in a row and is not asked for a while"}
	case errors.Is(err, context.DeadlineExceeded):
		return &modelFailure{"timeout", fmt.Sprintf("it did not answer within %s", limit)}
	case status == http.StatusTooManyRequests:
		return &modelFailure{"rate_limited", "its server says that there were too many requests"}
	case status >= http.StatusInternalServerError:
		return &modelFailure{"server_error", fmt.Sprintf("its server failed with status %d", status)}
	case status != 0:
		return &modelFailure{
			"refused_request",
			fmt.Sprintf("its server refused the request with status %d; check the key, the model's name and the address",
				status),
		}
	case isSyntax(err):
		return &modelFailure{"malformed", "its server's answer was no JSON, or too long to be one"}
	}
	return &modelFailure{"unreachable", "its server could not be reached, or broke the connection"}
}

func isSyntax(err error) bool {
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	var size *http.MaxBytesError
	return errors.As(err, &syntax) || errors.As(err, &shape) || errors.As(err, &size)
}
