package files

import (
	"time"

	"dealflow/internal/httpapi/request"
)

// URLLifetime is for how long a signed URL is valid if the client asks for no other time.
const URLLifetime = time.Hour

// urlStep is for how long a file gets the same URL, so that an answer with the URL keeps its ETag.
const urlStep = 15 * time.Minute

// StepExpiry returns when a URL expires if the client asks for no other time: after URLLifetime at least, and at the
// same time for all URLs of one urlStep.
func (h *Handlers) StepExpiry() time.Time {
	return h.Now().Add(URLLifetime + urlStep).Truncate(urlStep)
}

// Expiry returns when a URL expires, by the parameter "expires_in", which is 1 to 1440 minutes; URLLifetime if none was
// sent. A wrong parameter is noted in params. The time is cut to seconds as in the signature, so that the answer states
// the exact time.
func (h *Handlers) Expiry(params *request.Query) time.Time {
	minutes := params.Integer("expires_in", int(URLLifetime/time.Minute), 1, 24*60)
	return h.Now().Add(time.Duration(minutes) * time.Minute).Truncate(time.Second)
}
