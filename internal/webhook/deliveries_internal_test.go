package webhook

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// TestTimesOfMessagesHaveSixDecimals makes a message of a time that ends in zeros.
func TestTimesOfMessagesHaveSixDecimals(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 10, 0, 0, 161_500_000, time.UTC)
	made, err := newDelivery(uuid.New(), uuid.New(), TypeTest, at, nil)
	if err != nil || !strings.Contains(made.Body, `"timestamp":"2026-03-02T10:00:00.161500Z"`) {
		t.Errorf("the body is %s, %v", made.Body, err)
	}
}
