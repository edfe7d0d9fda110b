package jobs

import (
	"context"
	"time"

	"dealflow/internal/work"
)

// importRows writes the stored batches of an import until none is left or turnEnds reports true. If batches are left,
// it queues the work again.
func (w *Worker) importRows(ctx context.Context, item work.Item) error {
	began := time.Now()
	more, err := w.deps.Imports.Write(ctx, item, func() bool { return w.turnEnds(ctx, time.Since(began)) })
	if err != nil || !more {
		return err
	}
	return w.deps.Work.Again(ctx, item)
}

// undoImport removes what an import stored until nothing is left or turnEnds reports true. If something is left, it
// queues the work again.
func (w *Worker) undoImport(ctx context.Context, item work.Item) error {
	began := time.Now()
	more, err := w.deps.Imports.Undo(ctx, item, func() bool { return w.turnEnds(ctx, time.Since(began)) })
	if err != nil || !more {
		return err
	}
	return w.deps.Work.Again(ctx, item)
}

// turnEnds reports whether a task that has run for took must end and queue the rest of its work: at once if the worker
// is stopping; after importTurn if other bulk work waits, or if that cannot be read; and after importLongTurn in any
// case.
func (w *Worker) turnEnds(ctx context.Context, took time.Duration) bool {
	select {
	case <-w.stopping:
		return true
	default:
	}
	if took < importTurn || took > importLongTurn {
		return took > importLongTurn
	}
	waits, err := w.deps.Work.Waits(ctx)
	if err != nil {
		w.deps.Logger.WarnContext(ctx, "an import could not read whether other work waits, and lets it run first", "error",
			err)
	}
	return waits || err != nil
}
