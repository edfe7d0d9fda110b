package imports

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
)

// receiverQuiet is how long a receiver may be silent before its import is ended. A restart of the database is shorter.
const receiverQuiet = 30 * time.Second

// EndLost ends the receiving of imports of all accounts whose receiver no longer reports; rows that have arrived are
// still written. It also marks imports and undos as failed whose work is gone, or has failed and is not tried again. It
// returns how many imports it changed.
func (w *Writer) EndLost(ctx context.Context) (int64, error) { return w.endLost(ctx, receiverQuiet) }

func (w *Writer) endLost(ctx context.Context, quiet time.Duration) (int64, error) {
	var ended int64
	err := w.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_end_lost_imports(make_interval(secs => ?))", quiet.Seconds()).Scan(&ended).Error
	})
	if err != nil {
		return 0, fmt.Errorf("end lost imports: %w", err)
	}
	return ended, nil
}

// SweepBatches removes stored batches that are older than age and will not be written, and other files of that age
// under the same prefix, such as parts of batches. It returns how many files it removed.
func (w *Writer) SweepBatches(ctx context.Context, age time.Duration) (int, error) {
	return w.blobs.Sweep(ctx, batchPrefix, time.Now().Add(-age), func(ctx context.Context, key string) (bool, error) {
		importID, number, ours := batchOf(key)
		if !ours {
			return true, nil // an incomplete file, to which nothing can refer
		}
		var needed bool
		err := w.db.AsNobody(ctx, func(tx *postgres.Tx) error {
			return tx.Raw("SELECT app_batch_needed(?, ?)", importID, number).Scan(&needed).Error
		})
		return err == nil && !needed, err
	})
}

// batchOf parses a key that batchKey returned, and reports whether it is one.
func batchOf(key string) (importID uuid.UUID, number int, ours bool) {
	id, count, _ := strings.Cut(strings.TrimPrefix(key, batchPrefix), "_")
	importID, errID := uuid.Parse(id)
	number, errNumber := strconv.Atoi(count)
	return importID, number, errID == nil && errNumber == nil
}
