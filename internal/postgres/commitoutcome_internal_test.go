package postgres

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A call may return nil right before its time limit. If that became an error, the connection that the call returned
// would never be released.
func TestOnlyAnErrorIsLate(t *testing.T) {
	t.Parallel()
	for name, cause := range map[string]error{"busy": errBusy, "late": errLate} {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Nanosecond, cause)
		defer cancel()
		<-ctx.Done()
		if err := late(ctx, nil); err != nil {
			t.Errorf("%s: the success became the error %q", name, err)
		}
		if err := late(ctx, ctx.Err()); !errors.Is(err, cause) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: the error %q does not say which limit ended the call", name, err)
		}
	}
}
