package embedded

import (
	"crypto/rand"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// How often the clock of the keys' time to live moves, and which share of the time that may cost at most: a move looks at every key.
const (
	clockStep  = 100 * time.Millisecond
	clockShare = 20
)

// Redis is a Redis server inside this process, on a loopback port and behind a password. It keeps nothing when it stops. A key expires within
// about a tenth of a second of its time, and may do so that much early.
type Redis struct {
	server   *miniredis.Miniredis
	password string
	stop     chan struct{}
	ticking  sync.WaitGroup
}

// StartRedis starts a server on a free port.
func StartRedis() (*Redis, error) {
	r := &Redis{server: miniredis.NewMiniRedis(), password: rand.Text(), stop: make(chan struct{})}
	r.server.RequireAuth(r.password)
	if err := r.server.StartAddr("127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("start the built-in Redis: %w", err)
	}
	r.ticking.Go(r.tick)
	return r, nil
}

// tick lets the keys age, which they do not by themselves: the library is made for tests, and its own switch for this looks at every key at
// every command. With very many keys it ticks less often, rather than keep the server from its work.
func (r *Redis) tick() {
	last := time.Now()
	for wait := clockStep; ; {
		select {
		case <-r.stop:
			return
		case <-time.After(wait):
		}
		now := time.Now()
		r.server.FastForward(now.Sub(last))
		last = now
		wait = max(clockStep, clockShare*time.Since(now))
	}
}

// URL is the server's address with its password.
func (r *Redis) URL() string {
	u := url.URL{Scheme: "redis", User: url.UserPassword("", r.password), Host: r.server.Addr(), Path: "/0"}
	return u.String()
}

// Stop ends all connections and the server.
func (r *Redis) Stop() {
	close(r.stop)
	r.ticking.Wait()
	r.server.Close()
}
