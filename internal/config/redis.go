package config

import (
	"net/url"
	"strings"
)

// redis has the settings of the Redis server, which has the queue, the counters of the rate limits and the messages
// about finished work. None of its data has to be durable.
type redis struct {
	URL      string `env:"REDIS_URL"`
	Password string `env:"REDIS_PASSWORD"` // where the URL has none; any characters
}

// Address returns the URL with Password in it. It returns the URL unchanged if it has a login of its own or no scheme,
// or if Password is empty.
func (r *redis) Address() string {
	head, rest, found := strings.Cut(r.URL, "://")
	hosts, _, _ := strings.Cut(rest, "/")
	if !found || r.Password == "" || strings.Contains(hosts, "@") {
		return r.URL
	}
	return head + "://" + url.UserPassword("", r.Password).String() + "@" + rest
}

// Validate returns an error for each setting that is wrong; nil if none is.
func (r *redis) Validate() []error {
	return scheme("REDIS_URL", r.URL, "redis", "rediss", "unix", "redis-sentinel", "redis-cluster")
}
