package outbox

import "time"

// SetPrepareTimeout replaces prepareTimeout, so that tests need not wait for so long.
func (o *Outbox) SetPrepareTimeout(timeout time.Duration) { o.prepareTimeout = timeout }
