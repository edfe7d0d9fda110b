package files

import (
	"time"

	"dealflow/internal/httpapi/request"
)

// URLLifetime is how long a signed URL holds where nothing else was asked for.
const URLLifetime = time.Hour

// urlStep is how long URLs stay the same, so that an answer that holds one can be found unchanged.
const urlStep = 15 * time.Minute

// StepExpiry returns until when a URL holds for which nothing else was asked: at least for URLLifetime.
func (h *Handlers) StepExpiry() time.Time {
	return h.Now().Add(URLLifetime + urlStep).Truncate(urlStep)
}

// Expiry returns until when a URL is to hold, cut as the signature does, so that what is said is what holds.
func (h *Handlers) Expiry(params *request.Query) time.Time {
	minutes := params.Integer("expires_in", int(URLLifetime/time.Minute), 1, 24*60)
	return h.Now().Add(time.Duration(minutes) * time.Minute).Truncate(time.Second)
}
