package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"

	"dealflow/internal/logs"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// errStopping ends attempts that run when the worker is stopped.
var errStopping = errors.New("the worker is stopped")

// finishGrace is how long they may still run; what is left of shutdownTimeout is for handing them over.
const finishGrace = 5 * time.Second

// doing is what an attempt does.
type doing = func(context.Context, work.Item) error

// handle is handleLoaded for what loads by itself what it needs.
func (w *Worker) handle(do doing) func(context.Context, *asynq.Task) error {
	return w.handleLoaded(func(uuid.UUID) ([]postgres.Query, doing) { return nil, do })
}

// handleLoaded claims the row that a task speaks of, in the trip in which begin's queries load what it is about,
// keeps its lease while the work is done, and releases the attempt where that fails. The queue hears of an error
// only where the row could not be claimed; the sweep finds that row.
func (w *Worker) handleLoaded(
	begin func(id uuid.UUID) ([]postgres.Query, doing),
) func(context.Context, *asynq.Task) error {
	return func(ctx context.Context, task *asynq.Task) error {
		var body payload
		if err := json.Unmarshal(task.Payload(), &body); err != nil {
			return fmt.Errorf("read the task's payload: %w", err)
		}
		queries, do := begin(body.ID)
		item, err := w.deps.Work.Claim(ctx, work.Ref{ID: body.ID, Attempt: body.Attempt}, w.deps.Lease, queries...)
		if errors.Is(err, work.ErrTaken) {
			return nil
		}
		if err != nil {
			return err
		}
		ctx = logs.With(ctx, slog.String("request_id", item.RequestID), slog.String("work_id", item.ID.String()),
			slog.String("kind", item.Kind), slog.Int("attempt", item.Attempt))
		started := time.Now()
		ctx, ended := traceAttempt(ctx, task, item)
		err = w.attempt(ctx, item, do)
		ended(err)
		w.settle(ctx, item, err)
		w.metrics.observe(item, err, time.Since(started))
		if item.Queue == work.Bulk { // there is room for another of the account's
			w.deps.Work.AdmitOf(ctx, item.AccountID)
		}
		return nil
	}
}

// attempt runs do under a lease that is prolonged thrice in its length. The lease alone says whose the attempt is,
// not the queue's own, which ends with Redis. What ends do's context early is the error: work.ErrLost, errStopping,
// or that it took too long. A panic is an error like others.
func (w *Worker) attempt(ctx context.Context, item work.Item, do doing) (err error) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	tooLong := fmt.Errorf("it took longer than %s", taskTimeout)
	ctx, done := context.WithTimeoutCause(ctx, taskTimeout, tooLong)
	defer done()
	defer context.AfterFunc(w.ending, func() { cancel(errStopping) })()
	go w.keepLease(ctx, cancel, item.Ref())
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v", panicked)
			w.deps.Logger.ErrorContext(ctx, "work panicked", "panic", panicked, "stack", string(debug.Stack()))
		}
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}()
	return do(ctx, item)
}

func (w *Worker) keepLease(ctx context.Context, cancel context.CancelCauseFunc, ref work.Ref) {
	ticker := time.NewTicker(w.deps.Lease / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := w.deps.Work.Extend(ctx, ref, w.deps.Lease); errors.Is(err, work.ErrLost) {
			cancel(work.ErrLost)
			return
		}
	}
}

// settle announces the result to whoever waits, or releases the attempt.
func (w *Worker) settle(ctx context.Context, item work.Item, err error) {
	ctx = context.WithoutCancel(ctx)
	over := err == nil
	switch {
	case over:
		w.deps.Logger.InfoContext(ctx, "work done")
	case errors.Is(err, work.ErrLost):
		w.deps.Logger.WarnContext(ctx, "work was lost to another worker")
	default:
		over = w.endAttempt(ctx, item, err)
	}
	if over {
		w.tell(ctx, item.Waiter, item.ID.String())
	}
}

// endAttempt releases an attempt that did not finish and reports whether that was the end of the work. Where the
// database is away it tries until that is back or the worker ends: else the row would have to wait until its lease
// has run out, and count a loss.
func (w *Worker) endAttempt(ctx context.Context, item work.Item, cause error) (over bool) {
	for {
		over, err := w.release(ctx, item, cause)
		if err == nil {
			return over
		}
		if postgres.IsUnreachable(err) && w.pause(releasePause) {
			continue
		}
		w.deps.Logger.ErrorContext(ctx, "work could not be released; its lease will run out", "error", err)
		return false
	}
}

// release counts an attempt as what its end was: a failure of the work, an outage, or the stop of this worker.
func (w *Worker) release(ctx context.Context, item work.Item, cause error) (over bool, err error) {
	switch {
	case errors.Is(cause, errStopping):
		w.deps.Logger.InfoContext(ctx, "work is handed over to another worker")
		return false, w.deps.Work.HandOver(ctx, item)
	case isOutage(cause):
		w.deps.Logger.WarnContext(ctx, "work was interrupted by an outage; it goes on after it", "error", cause)
		return false, w.deps.Work.Interrupt(ctx, item, cause)
	default:
		w.deps.Logger.ErrorContext(ctx, "work failed", "error", cause)
		return w.deps.Work.Fail(ctx, item, cause)
	}
}

// pause waits, and reports false where the worker ends meanwhile.
func (w *Worker) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-w.stopping:
		return false
	case <-timer.C:
		return true
	}
}

func (w *Worker) tell(ctx context.Context, waiter, id string) {
	if err := w.deps.Publisher.Publish(ctx, waiter, id); err != nil {
		w.deps.Logger.WarnContext(ctx, "cannot announce a result; whoever waits reads the row", "error", err)
	}
}
