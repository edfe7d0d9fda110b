package ratelimit

import "time"

// refusal names the window that was full; byNone if the request is allowed. It has the values that allow.lua returns.
type refusal int64

const (
	byNone refusal = iota
	bySecond
	byMinute // also when the second had no room either: it ends later
)

// verdict is the result of counting a request, in Redis or in this process. Its counts include the request itself,
// unless that was refused.
type verdict struct {
	refused  refusal
	now      int64 // Unix seconds of the clock that the windows belong to
	inSecond int   // requests counted in this second
	inMinute int   // requests counted in this minute
}

type limits struct{ perSecond, perMinute int }

func (l limits) none() bool { return l.perSecond <= 0 && l.perMinute <= 0 }

func (l limits) decide(v verdict) Decision {
	if v.refused == bySecond || (v.refused == byNone && l.perMinute <= 0) {
		return describe(v, l.perSecond, v.inSecond, 1)
	}
	return describe(v, l.perMinute, v.inMinute, 60)
}

// describe returns the decision for v, with the limit, the rest and the end of one window: it is length seconds long,
// and used of limit requests were counted in it.
func describe(v verdict, limit, used int, length int64) Decision {
	end := v.now - v.now%length + length
	d := Decision{
		Allowed: v.refused == byNone, Limit: limit, Remaining: max(limit-used, 0), Reset: time.Unix(end, 0).UTC(),
	}
	if !d.Allowed {
		d.RetryAfter = time.Duration(end-v.now) * time.Second
	}
	return d
}
