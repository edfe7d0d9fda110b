package slides

import (
	"context"
	"fmt"
	"testing"

	"dealflow/internal/fault"
	"dealflow/internal/pdftext"
)

func TestARefusalSaysWhetherToTryAgain(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]fault.Kind{
		pdftext.ErrEncrypted:     fault.NotFound,
		pdftext.ErrTimeout:       fault.NotFound, // of processor time, which no other try changes
		pdftext.ErrInterrupted:   fault.Unavailable,
		pdftext.ErrClosed:        fault.Unavailable,
		context.DeadlineExceeded: fault.Unavailable, // the machine was too busy
	} {
		if got := refusal(fmt.Errorf("draw: %w", err)); !fault.Is(got, want) {
			t.Errorf("%v is refused with %v, want the kind %v", err, got, want)
		}
	}
}
