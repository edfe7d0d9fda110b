package jobs

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// idleWait is how long one command waits in an empty queue. A task that arrives ends it at once, so it only bounds
	// how long a connection that died without a sign goes unnoticed.
	idleWait = 5 * time.Second
	// hungWait is how much longer than idleWait the answer may take before it counts as lost.
	hungWait = time.Second
	// pausedWait is how often a queue is looked at that an operator paused while tasks are in it.
	pausedWait = time.Second
	// outageWait is how often Redis is tried while it is away; asynq itself would try without a break.
	outageWait = 100 * time.Millisecond
	// pollingTime is how long a queue is polled whose server refuses to wait.
	pollingTime = time.Minute
)

// asynqQueues is the set of the queues that asynq's inspector believes in. It is written once by each client, so a
// Redis that lost it would stay without: so it is written again every so often while the queue is waited for.
const (
	asynqQueues  = "asynq:queues"
	noteInterval = time.Second
)

// waiting is the connection of the asynq server of one queue. asynq polls: it runs a script that takes a task, and
// sleeps where there is none. Here the answer that there is none is held back until there is one, in a command that
// waits in the list of tasks and changes nothing, so that an idle worker asks every few seconds and a busy one starts
// at once.
//
// It knows the script by the names of its keys, which TestIdleQueueIsNotPolled pins. Where a version of asynq has
// others, or the server refuses the command, the queue is polled at the server's TaskCheckInterval as if this were
// not here.
type waiting struct {
	redis.UniversalClient

	queue    string
	stopping <-chan struct{}
	log      *slog.Logger
	polling  time.Time // until when; asynq takes tasks from one goroutine alone
	noted    time.Time // when the queue was last noted among asynqQueues
}

// EvalSha is what asynq runs its scripts with.
func (w *waiting) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	taken := w.UniversalClient.EvalSha(ctx, sha, keys, args...)
	if !takesTask(keys) || taken.Err() == nil {
		return taken
	}
	if !errors.Is(taken.Err(), redis.Nil) {
		if !redis.HasErrorPrefix(taken.Err(), "NOSCRIPT") { // then asynq sends the script itself
			w.pause(outageWait)
		}
		return taken
	}
	pending, paused := keys[0], keys[1]
	if !w.await(ctx, pending) {
		return taken
	}
	taken = w.UniversalClient.EvalSha(ctx, sha, keys, args...)
	if errors.Is(taken.Err(), redis.Nil) && w.UniversalClient.Exists(ctx, paused).Val() == 1 {
		w.pause(pausedWait)
	}
	return taken
}

// takesTask reports whether a script with these keys is the one that takes a task from the list of pending ones.
func takesTask(keys []string) bool {
	return len(keys) == 4 && strings.HasSuffix(keys[0], "}:pending") && strings.HasSuffix(keys[1], "}:paused")
}

// await returns when the list has a task, and reports whether it has: at once where it has one already, and false
// after a while.
func (w *waiting) await(ctx context.Context, list string) bool {
	if time.Now().Before(w.polling) {
		return false
	}
	answered := make(chan error, 1)
	note := time.Since(w.noted) > noteInterval
	if note {
		w.noted = time.Now()
	}
	go func() { // it outlives the wait where the process stops or the connection hangs, and harms nothing
		if note {
			w.SAdd(ctx, asynqQueues, w.queue)
		}
		// From the end of the list to its end: this waits for a task and leaves it where it is.
		answered <- w.UniversalClient.BLMove(ctx, list, list, "RIGHT", "RIGHT", idleWait).Err()
	}()
	timer := time.NewTimer(idleWait + hungWait)
	defer timer.Stop()
	select {
	case err := <-answered:
		w.judge(ctx, err)
		return err == nil
	case <-timer.C:
	case <-w.stopping:
	}
	return false
}

// judge turns to polling where the server refuses to wait: one before Redis 6.2, or one that forbids the command.
func (w *waiting) judge(ctx context.Context, err error) {
	if reply, ok := errors.AsType[redis.Error](err); ok && !errors.Is(err, redis.Nil) {
		w.polling = time.Now().Add(pollingTime)
		w.log.WarnContext(ctx,
			"Redis refuses to wait for tasks (BLMOVE needs 6.2 or newer); the queue is polled, which costs CPU when idle",
			"queue", w.queue, "error", reply)
	}
}

func (w *waiting) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.stopping:
	}
}
