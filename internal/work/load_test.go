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
		place := load.Place(account)
		load.Stored(account)
		if place.Queue != work.Interactive {
			t.Fatalf("after %d pieces that were done, one goes to the queue %s", n, place.Queue)
		}
		load.Ended(place)
	}
	for range work.MaxInteractive {
		load.Place(account)
	}
	if place := load.Place(account); place.Queue != work.Bulk {
		t.Errorf("one more than %d open pieces goes to the queue %s", work.MaxInteractive, place.Queue)
	}
}
