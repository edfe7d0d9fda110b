package agents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"dealflow/client"
)

// mistake is an error that a tool itself found. Its text, which the model reads, says what to do.
type mistake struct{ text string }

func (m mistake) Error() string { return m.text }

func wrong(format string, args ...any) error { return mistake{fmt.Sprintf(format, args...)} }

// advised returns the error for the model: what is wrong, and what to do. A mistake is returned unchanged, and for a
// refusal of the API its advice. Any other error is logged, and the model gets a general text instead.
func (s *Server) advised(ctx context.Context, tool string, err error) error {
	if own, is := errors.AsType[mistake](err); is {
		return own
	}
	if refused, is := errors.AsType[*client.Error](err); is {
		return errors.New(advice(refused))
	}
	s.log.WarnContext(ctx, "a tool failed", slog.String("tool", tool), slog.Any("error", err))
	if outside, is := errors.AsType[*url.Error](err); is && outside.Timeout() {
		return errors.New("the service did not answer in time: look whether it was done before you try again")
	}
	return errors.New("the service could not be asked: tell the user, and look whether it was done before you try again")
}

// outOfSight is the advice if the API answers 404, or 403 for a reason other than a missing scope. It is the same for
// an id that does not exist and for an id of another team, so that it does not show which ids exist.
const outOfSight = "There is none with this id, or the user may not see it: search_companies and list_accounts find " +
	"ids."

// advice returns the text of a refusal of the API, and what the model should do. For 404, and for 403 unless a scope is
// missing, it returns outOfSight.
func advice(refused *client.Error) string {
	if refused.Status == http.StatusNotFound || refused.Status == http.StatusForbidden && refused.Code != "missing_scope" {
		return outOfSight
	}
	said := []string{refused.Message}
	for _, detail := range refused.Details {
		said = append(said, detail.Field+": "+detail.Message)
	}
	return strings.Join(said, "; ") + ". " + remedy(refused)
}

func remedy(refused *client.Error) string {
	switch refused.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge:
		return "Correct what is named and call the tool again."
	case http.StatusUnauthorized:
		return "The API key is none any more: ask the user for another. Do not try again."
	case http.StatusForbidden:
		return "The API key may not do this: ask the user for a key that has the scope. Do not try again."
	case http.StatusConflict:
		return "Read the present state with search_companies or get_company, before you do anything."
	case http.StatusGone:
		return "It was merged into company " + refused.MergedInto + ": use that id."
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return fmt.Sprintf("Wait %d seconds, then call the tool again, with the same idempotency_key where it takes one.",
			max(1, int(refused.RetryAfter.Seconds())))
	}
	return "Tell the user that the service failed; the id of the request is " + refused.RequestID + "."
}
