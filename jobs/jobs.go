// Package jobs connects the service to asynq, and is the only package that imports it: it puts work into the queue,
// runs the tasks that asynq returns, and queues again what the queue lost. The rows of package work decide what must be
// done; a task has only ids.
package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"dealflow/internal/redisconn"
	"dealflow/internal/work"
)

// payload is the content of a task.
type payload struct {
	ID      uuid.UUID `json:"id"`
	Attempt int       `json:"attempt"`
}

// Client puts work into the queue, and reads what is there. It implements work.Queue. It is safe for concurrent use.
type Client struct {
	asynq     *asynq.Client
	inspector *asynq.Inspector
}

// NewClient returns a Client on a connection, which the caller must close.
func NewClient(connection redis.UniversalClient) *Client {
	return &Client{
		asynq: asynq.NewClientFromRedisClient(connection), inspector: asynq.NewInspectorFromRedisClient(connection),
	}
}

// Enqueue puts an attempt into its queue, to be begun after delay. It returns nil if the attempt is in the queue
// already.
func (c *Client) Enqueue(ctx context.Context, ref work.Ref, delay time.Duration) error {
	err := c.enqueue(ctx, ref, delay)
	if errors.Is(err, asynq.ErrTaskIDConflict) {
		return nil
	}
	return err
}

// enqueue does what Enqueue does, but returns asynq.ErrTaskIDConflict if the attempt is in the queue already. asynq
// does not repeat the task, since the row of package work decides whether there is another attempt.
func (c *Client) enqueue(ctx context.Context, ref work.Ref, delay time.Duration) error {
	body, err := json.Marshal(payload{ID: ref.ID, Attempt: ref.Attempt})
	if err != nil {
		return fmt.Errorf("encode task: %w", err)
	}
	options := []asynq.Option{
		asynq.TaskID(taskID(ref)), asynq.Queue(ref.Queue), asynq.MaxRetry(0), asynq.Timeout(taskTimeout + time.Minute),
	}
	if delay > 0 {
		options = append(options, asynq.ProcessIn(delay))
	}
	task := asynq.NewTaskWithHeaders(ref.Kind, body, traceHeaders(ctx))
	if _, err := c.asynq.EnqueueContext(ctx, task, options...); err != nil {
		return fmt.Errorf("enqueue %s: %w", ref.Kind, err)
	}
	return nil
}

func taskID(ref work.Ref) string { return ref.ID.String() + ":" + strconv.Itoa(ref.Attempt) }

// Workers returns the number of worker processes that reported themselves in the last seconds. It does not count
// processes that only send messages of webhooks.
func (c *Client) Workers() (int, error) {
	servers, err := c.inspector.Servers()
	if err != nil {
		return 0, fmt.Errorf("ask for the workers: %w", err)
	}
	processes := map[string]bool{} // each runs a server for every queue
	for _, server := range servers {
		if _, sends := server.Queues[work.Webhooks]; sends {
			continue // of an API, which sends the messages of webhooks
		}
		processes[fmt.Sprint(server.Host, ":", server.PID)] = true
	}
	return len(processes), nil
}

// shared is an asynq.RedisConnOpt that returns an open Redis connection, for asynqmon.
type shared struct{ redis.UniversalClient }

// MakeRedisClient implements asynq.RedisConnOpt. It returns the open connection.
func (s shared) MakeRedisClient() any { return s.UniversalClient }

// logger is an asynq logger that writes to log. It writes the level Info as Debug. Lines of level Warn and above have
// the text as the attribute "error", so that package outage can recognize an outage.
type logger struct{ log *slog.Logger }

func (l logger) Debug(args ...any) { l.write(slog.LevelDebug, args) }
func (l logger) Info(args ...any)  { l.write(slog.LevelDebug, args) }
func (l logger) Warn(args ...any)  { l.write(slog.LevelWarn, args) }
func (l logger) Error(args ...any) { l.write(slog.LevelError, args) }
func (l logger) Fatal(args ...any) { l.write(slog.LevelError, args) }

func (l logger) write(level slog.Level, args []any) {
	text := fmt.Sprint(args...)
	if level < slog.LevelWarn {
		l.log.Log(context.Background(), level, text, "component", "asynq")
		return
	}
	l.log.Log(context.Background(), level, "the queue complains", "component", "asynq", "error", redisconn.Complaint(text))
}
