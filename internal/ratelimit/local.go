package ratelimit

import (
	"sync"
	"time"
)

// maxLocal bounds the memory that an outage of Redis costs, at some 100 bytes a subject. Beyond it any subject is
// forgotten for a new one, which favours a flood from many addresses over a process that grows without end.
const maxLocal = 1 << 16

// local counts in this process alone. It does what allow.lua does.
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
