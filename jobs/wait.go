package jobs

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// asynqQueues is the Redis set of queues that asynq's inspector reads. A client writes it once, and a Redis that lost
// it would stay without it. So it is written again at most every noteInterval while a queue is waited for.
const (
	asynqQueues  = "asynq:queues"
	noteInterval = time.Second
)

// waiting is the Redis connection of the asynq server of one queue. asynq polls: it runs a script that takes a task,
// and sleeps if the queue was empty. If the queue is empty, waiting delays the answer to the script until there is a
// task, by a command (BLMOVE) that waits for the list of tasks and does not change it. So an idle worker sends a
// command only every few seconds, and a task is begun at once.
//
// waiting recognizes the script by the names of its keys, which TestIdleQueueIsNotPolled checks. If another version of
// asynq has other names, or the server refuses the command, the queue is polled at asynq's TaskCheckInterval.
type waiting struct {
	redis.UniversalClient

	queue    string
	stopping <-chan struct{}
	log      *slog.Logger
	polling  time.Time // until when the queue is polled; needs no lock: one goroutine takes tasks
	noted    time.Time // when the queue was last added to asynqQueues
}

// EvalSha runs a script of asynq. If it is the script that takes a task and the queue is empty, EvalSha waits for a
// task, for about idleWait at most, and runs the script again. After an error of Redis, and while an operator has
// paused the queue, it waits a moment before it returns.
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

// await waits until the list has a task, and then returns true. It returns false after idleWait without a task, after
// an error, once the worker is stopping, and, without waiting, while the queue is polled.
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

// judge makes asynq poll the queue for pollingTime if err is the server's refusal to wait: the server is older than
// Redis 6.2, or forbids the command. It ignores nil and other errors, such as UNBLOCKED of a server that became a
// replica.
func (w *waiting) judge(ctx context.Context, err error) {
	reply, ok := errors.AsType[redis.Error](err)
	if ok && (strings.HasPrefix(reply.Error(), "ERR ") || strings.HasPrefix(reply.Error(), "NOPERM ")) {
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
