package work_test

import (
	"log/slog"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/testkit"
	"dealflow/internal/work"
)

func TestWhoWaitsForEachPieceIsNoCrowd(t *testing.T) {
	t.Parallel()
	load, account := work.NewLoad(testkit.Database(t), slog.New(slog.DiscardHandler)), uuid.New()
	for n := range 5 * work.MaxInteractive {
		position := load.Enter(account)
		load.Stored(account)
		if position.Queue != work.Interactive {
			t.Fatalf("after %d pieces that were done, one goes to the queue %s", n, position.Queue)
		}
		load.Ended(position)
	}
	for range work.MaxInteractive {
		load.Enter(account)
	}
	if position := load.Enter(account); position.Queue != work.Bulk {
		t.Errorf("one more than %d open pieces goes to the queue %s", work.MaxInteractive, position.Queue)
	}
}
