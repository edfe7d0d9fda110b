package jobs

import (
	"context"
	"time"

	"dealflow/internal/work"
)

// An import's turn ends after so long where other bulk work waits, and in any case before its task would.
const (
	importTurn     = time.Second
	importLongTurn = time.Minute
)

// importRows writes what was received of an import, as long as it is its turn.
func (w *Worker) importRows(ctx context.Context, item work.Item) error {
	began := time.Now()
	more, err := w.deps.Imports.Write(ctx, item, func() bool { return w.turnEnds(ctx, time.Since(began)) })
	if err != nil || !more {
		return err
	}
	return w.deps.Work.Again(ctx, item)
}

// undoImport removes what an import brought, as long as it is its turn.
func (w *Worker) undoImport(ctx context.Context, item work.Item) error {
	began := time.Now()
	more, err := w.deps.Imports.Undo(ctx, item, func() bool { return w.turnEnds(ctx, time.Since(began)) })
	if err != nil || !more {
		return err
	}
	return w.deps.Work.Again(ctx, item)
}

// turnEnds reports whether a long piece of work should make room.
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
		w.deps.Logger.WarnContext(ctx, "an import does not know who waits, and makes room", "error", err)
	}
	return waits || err != nil
}
