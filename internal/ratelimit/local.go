package ratelimit

import (
	"sync"
	"time"
)

// maxLocal is the maximum number of subjects that each Limiter counts during an outage of Redis, at some 100 bytes
// each. For each further subject it drops the count of another: a flood from many addresses is then limited less, but
// memory stays bounded.
const maxLocal = 1 << 16

// local counts requests in this process alone, by the same rules as allow.lua. It is safe for concurrent use.
type local struct {
	mu      sync.Mutex
	minute  int64
	windows map[string]window // of this minute
}

type window struct {
	second             int64
	inSecond, inMinute int
}

func (c *local) count(subject string, now time.Time, l limits) verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	second := now.Unix()
	if minute := second / 60; minute != c.minute {
		c.minute, c.windows = minute, map[string]window{}
	}
	w, known := c.windows[subject]
	if w.second != second {
		w.second, w.inSecond = second, 0
	}
	v := verdict{now: second, inSecond: w.inSecond, inMinute: w.inMinute}
	switch {
	case l.perMinute > 0 && w.inMinute >= l.perMinute:
		v.refused = byMinute
		return v
	case l.perSecond > 0 && w.inSecond >= l.perSecond:
		v.refused = bySecond
		return v
	}
	if !known && len(c.windows) >= maxLocal {
		c.forgetOne()
	}
	w.inSecond++
	w.inMinute++
	c.windows[subject] = w
	v.inSecond, v.inMinute = w.inSecond, w.inMinute
	return v
}

func (c *local) forgetOne() {
	for subject := range c.windows {
		delete(c.windows, subject)
		return
	}
}
