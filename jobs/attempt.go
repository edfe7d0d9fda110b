package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/hibiken/asynq"

	"dealflow/internal/logs"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// errStopping is the cause with which the context of an attempt ends if the attempt still runs when the Grace of a
// stopping worker is over.
var errStopping = errors.New("the worker is stopped")

// doing is a function that does the work of an attempt. It must itself mark the item as done (see work.Finish), or
// queue its next attempt. An error ends the attempt as release describes.
type doing = func(context.Context, work.Item) error

// handle returns a handler of tasks as handleLoaded does, for work that needs no queries together with the claim of its
// row. do does the work.
func (w *Worker) handle(do doing) func(context.Context, *asynq.Task) error {
	return w.handleLoaded(func() ([]postgres.Query, doing) { return nil, do })
}

// handleLoaded returns a handler of tasks. It calls begin for each task. The queries that begin returns run together
// with the claim of the task's row; the function that begin returns then does the work. Meanwhile the handler extends
// the lease of the row, and afterwards it releases the attempt if the work failed. If the attempt cannot be claimed,
// since another worker has it or it is over, the handler does nothing. It returns an error to asynq only if the payload
// is invalid, or the claim failed for another reason; then the sweep finds the row.
func (w *Worker) handleLoaded(begin func() ([]postgres.Query, doing)) func(context.Context, *asynq.Task) error {
	return func(ctx context.Context, task *asynq.Task) error {
		var body payload
		if err := json.Unmarshal(task.Payload(), &body); err != nil {
			return fmt.Errorf("read the task's payload: %w", err)
		}
		queries, do := begin()
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
		err = w.judged(ctx, item, w.attempt(ctx, item, do))
		ended(err)
		w.conclude(ctx, item, err)
		w.metrics.observe(item, err, time.Since(started))
		if item.Queue == work.Bulk { // the account may now have another item in the queue
			w.deps.Work.AdmitOf(ctx, item.AccountID)
		}
		return nil
	}
}

// attempt calls do, and meanwhile extends the lease of the row after each third of its length. Only this lease decides
// which worker has the attempt; asynq has a lease too, but loses it with Redis. The context of do does not end with
// ctx. If do fails after its context has ended, the error is the cause of that end: work.ErrLost, errStopping, or that
// do took longer than taskTimeout. A panic of do is logged and becomes an error.
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

// conclude ends an attempt whose work returned err. It releases an attempt that failed, unless err is work.ErrLost. If
// the work is done or has failed for good, it notifies the process that waits for the result.
func (w *Worker) conclude(ctx context.Context, item work.Item, err error) {
	ctx = context.WithoutCancel(ctx)
	over := err == nil
	switch {
	case over:
		w.deps.Logger.InfoContext(ctx, "work done")
	case errors.Is(err, work.ErrLost):
		w.deps.Logger.WarnContext(ctx, "work was lost: it was queued again, is over, or its user has left the account")
	default:
		over = w.endAttempt(ctx, item, err)
	}
	if over {
		w.notifyWaiter(ctx, item.Waiter, item.ID.String())
	}
}

// endAttempt releases an attempt that did not finish, and reports whether the work has failed for good. While the
// database cannot be reached, it tries again until the worker is stopping. The lease of an attempt that could not be
// released runs out, and the attempt counts as lost. An attempt that has ended is not released: another worker took it
// over while this one was stopped, or it was ended by a commit whose answer was lost.
func (w *Worker) endAttempt(ctx context.Context, item work.Item, cause error) (over bool) {
	for {
		over, err := w.release(ctx, item, cause)
		if err == nil {
			return over
		}
		if errors.Is(err, work.ErrLost) {
			w.deps.Logger.WarnContext(ctx, "work needs no release: another worker has it, or it has ended")
			return false
		}
		if postgres.IsUnreachable(err) && w.pause(releasePause) {
			continue
		}
		w.deps.Logger.ErrorContext(ctx, "work could not be released; its lease will run out", "error", err)
		return false
	}
}

// release records in the row why an attempt ended. If the cause is errStopping, it hands the attempt over to another
// worker; if it is an outage, it records an interruption; and for any other cause it records a failure. over reports
// whether the work has failed for good.
func (w *Worker) release(ctx context.Context, item work.Item, cause error) (over bool, err error) {
	switch {
	case errors.Is(cause, errStopping):
		w.deps.Logger.InfoContext(ctx, "work is handed over to another worker")
		return false, w.deps.Work.HandOver(ctx, item)
	case isOutage(cause):
		w.deps.Logger.WarnContext(ctx, "work was interrupted by an outage; it continues after that", "error", cause)
		return false, w.deps.Work.Interrupt(ctx, item, cause)
	default:
		w.deps.Logger.ErrorContext(ctx, "work failed", "error", cause)
		return w.deps.Work.Fail(ctx, item, cause)
	}
}

// pause waits for d and returns true, or returns false as soon as the worker is stopping.
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

func (w *Worker) notifyWaiter(ctx context.Context, waiter, id string) {
	if err := w.deps.Publisher.Publish(ctx, waiter, id); err != nil {
		w.deps.Logger.WarnContext(ctx, "a result could not be published; the process that waits reads it from the database",
			"error", err)
	}
}
