package config

import (
	"net/url"
	"strings"
)

// redis is the queue, the rate limits and the nudges. Nothing in it needs to last.
type redis struct {
	URL      string `env:"REDIS_URL"`
	Password string `env:"REDIS_PASSWORD"` // where the URL has none; any characters
}

// Address returns the URL with the password.
func (r *redis) Address() string {
	head, rest, found := strings.Cut(r.URL, "://")
	hosts, _, _ := strings.Cut(rest, "/")
	if !found || r.Password == "" || strings.Contains(hosts, "@") {
		return r.URL
	}
	return head + "://" + url.UserPassword("", r.Password).String() + "@" + rest
}

// Validate returns what is wrong.
func (r *redis) Validate() []error {
	return scheme("REDIS_URL", r.URL, "redis", "rediss", "unix", "redis-sentinel", "redis-cluster")
}
