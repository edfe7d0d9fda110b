// Package limits bounds what clients may do: requests in a minute, wrong guesses of secrets, and uploads at once.
package limits

import (
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
	"dealflow/internal/ratelimit"
)

// Source returns what a client's requests are counted for where only its address is known.
func Source(c *gin.Context) string { return ratelimit.Source(c.ClientIP()) }

// Count counts a request and says in its headers what is left. A 429 describes the window that refused.
func Count(c *gin.Context, limiter *ratelimit.Limiter, subject string) error {
	decision := limiter.Allow(c.Request.Context(), subject)
	if !decision.Allowed {
		return TooMany(c, decision)
	}
	describeWindow(c, decision)
	return nil
}

// CountAddress counts a request for the address that it comes from.
func CountAddress(c *gin.Context, limiter *ratelimit.Limiter) error {
	return Count(c, limiter, "address:"+Source(c))
}

func describeWindow(c *gin.Context, decision ratelimit.Decision) {
	c.Header("X-RateLimit-Limit", strconv.Itoa(decision.Limit))
	c.Header("X-RateLimit-Remaining", strconv.Itoa(decision.Remaining))
	c.Header("X-RateLimit-Reset", strconv.FormatInt(decision.Reset.Unix(), 10))
}

// TooMany returns the refusal of one request too many, and describes it in the headers.
func TooMany(c *gin.Context, decision ratelimit.Decision) error {
	describeWindow(c, decision)
	c.Header("Retry-After", strconv.Itoa(max(1, int(decision.RetryAfter.Round(time.Second).Seconds()))))
	return fault.New(fault.RateLimited, "rate_limited")
}
