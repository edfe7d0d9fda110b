// Package limits bounds what clients may do: requests in a minute, wrong guesses of secrets, and uploads at once.
package limits

import (
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
	"dealflow/internal/ratelimit"
)

// Source returns the text under which requests from a client's address are counted: the address or, for IPv6, its /64
// network.
func Source(c *gin.Context) string { return ratelimit.Source(c.ClientIP()) }

// Count counts a request for a subject, and sets the X-RateLimit headers to the limit, the remaining requests and the
// end of the window that ratelimit.Decision describes. The error is RateLimited if the request must be refused; TooMany
// then also sets Retry-After.
func Count(c *gin.Context, limiter *ratelimit.Limiter, subject string) error {
	decision := limiter.Allow(c.Request.Context(), subject)
	if !decision.Allowed {
		return TooMany(c, decision)
	}
	describeWindow(c, decision)
	return nil
}

// CountAddress counts a request for the client's address as Count does, and returns the same errors.
func CountAddress(c *gin.Context, limiter *ratelimit.Limiter) error {
	return Count(c, limiter, "address:"+Source(c))
}

func describeWindow(c *gin.Context, decision ratelimit.Decision) {
	c.Header("X-RateLimit-Limit", strconv.Itoa(decision.Limit))
	c.Header("X-RateLimit-Remaining", strconv.Itoa(decision.Remaining))
	c.Header("X-RateLimit-Reset", strconv.FormatInt(decision.Reset.Unix(), 10))
}

// TooMany returns the error RateLimited, and sets the X-RateLimit headers and Retry-After, which is at least a second.
func TooMany(c *gin.Context, decision ratelimit.Decision) error {
	describeWindow(c, decision)
	c.Header("Retry-After", strconv.Itoa(max(1, int(decision.RetryAfter.Round(time.Second).Seconds()))))
	return fault.New(fault.RateLimited, "rate_limited")
}
