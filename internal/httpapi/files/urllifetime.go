package files

import (
	"time"

	"dealflow/internal/httpapi/request"
)

// URLLifetime is how long a signed URL is valid if the client does not request another time. A URL that expires at
// StepExpiry is valid up to urlStep longer.
const URLLifetime = time.Hour

// urlStep is how long the URL of a file stays the same if it expires at StepExpiry, so that the ETag of an answer with
// the URL does not change.
const urlStep = 15 * time.Minute

// StepExpiry returns the expiry of a URL if the client does not request another: a multiple of urlStep that is between
// URLLifetime and URLLifetime+urlStep from now.
func (h *Handlers) StepExpiry() time.Time {
	return h.Now().Add(URLLifetime + urlStep).Truncate(urlStep)
}

// Expiry returns the expiry of a URL from the parameter "expires_in", in minutes from 1 to 1440; without it,
// URLLifetime from now. It records a parameter that is invalid in params. The time has whole seconds, as the signature
// does, so that the answer states exactly the time that is signed.
func (h *Handlers) Expiry(params *request.Query) time.Time {
	minutes := params.Integer("expires_in", int(URLLifetime/time.Minute), 1, 24*60)
	return h.Now().Add(time.Duration(minutes) * time.Minute).Truncate(time.Second)
}
