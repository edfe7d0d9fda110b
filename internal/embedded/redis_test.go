package embedded_test

import (
	"context"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"dealflow/internal/embedded"
)

func startRedis(t *testing.T) (*embedded.Redis, *redis.Client) {
	t.Helper()
	server, err := embedded.StartRedis()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	options, err := redis.ParseURL(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	return server, client
}

func TestRedisKeysExpireByTheClock(t *testing.T) {
	t.Parallel()
	_, client := startRedis(t)
	start := time.Now()
	if err := client.Set(t.Context(), "short", "x", 500*time.Millisecond).Err(); err != nil {
		t.Fatal(err)
	}
	if err := client.Set(t.Context(), "long", "x", time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	for client.Exists(t.Context(), "short").Val() == 1 && time.Since(start) < 5*time.Second {
		time.Sleep(5 * time.Millisecond)
	}
	if lived := time.Since(start); lived < 350*time.Millisecond || lived > 2*time.Second {
		t.Errorf("a key of 500 ms lived %s", lived)
	}
	if left := client.PTTL(t.Context(), "long").Val(); left > time.Minute-300*time.Millisecond || left < 50*time.Second {
		t.Errorf("a key of a minute has %s left after %s", left, time.Since(start))
	}
}

func TestRedisTellsTheTime(t *testing.T) {
	t.Parallel()
	_, client := startRedis(t)
	time.Sleep(250 * time.Millisecond) // moving the keys' clock must not move the server's
	told, err := client.Time(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	if off := time.Since(told).Abs(); off > 100*time.Millisecond {
		t.Errorf("TIME is off by %s", off)
	}
}

func TestRedisWantsThePassword(t *testing.T) {
	t.Parallel()
	_, known := startRedis(t)
	for name, password := range map[string]string{"none": "", "wrong": "guess"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stranger := redis.NewClient(&redis.Options{Addr: known.Options().Addr, Password: password, MaxRetries: -1})
			defer stranger.Close()
			if err := stranger.Set(context.Background(), "k", "v", 0).Err(); err == nil {
				t.Error("a stranger may write")
			}
		})
	}
}

func TestRedisCarriesTasksAndMessages(t *testing.T) {
	t.Parallel()
	server, client := startRedis(t)
	messages := client.Subscribe(t.Context(), "done")
	defer messages.Close()
	if _, err := messages.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	runTasks(t, server.URL(), func(ctx context.Context, task *asynq.Task) error {
		return client.Publish(ctx, "done", task.Payload()).Err()
	}, "one", "two")
	got := map[string]bool{}
	for range 2 {
		select {
		case message := <-messages.Channel():
			got[message.Payload] = true
		case <-time.After(10 * time.Second):
			t.Fatalf("only %v arrived", got)
		}
	}
	if !got["one"] || !got["two"] {
		t.Errorf("arrived: %v", got)
	}
}

// runTasks enqueues a task for each payload, under an id that a second try must not take, and runs a worker until the test ends.
func runTasks(t *testing.T, url string, handle asynq.HandlerFunc, payloads ...string) {
	t.Helper()
	connection, err := asynq.ParseRedisURI(url)
	if err != nil {
		t.Fatal(err)
	}
	queue := asynq.NewClient(connection)
	t.Cleanup(func() { _ = queue.Close() })
	for _, payload := range payloads {
		if _, err := queue.Enqueue(asynq.NewTask("test", []byte(payload)), asynq.TaskID(payload)); err != nil {
			t.Fatal(err)
		}
		if _, err := queue.Enqueue(asynq.NewTask("test", nil), asynq.TaskID(payload)); err == nil {
			t.Error("the same task id was taken twice")
		}
	}
	worker := asynq.NewServer(connection, asynq.Config{TaskCheckInterval: 5 * time.Millisecond, LogLevel: asynq.FatalLevel})
	if err := worker.Start(handle); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(worker.Shutdown)
}

func TestRedisForgetsWhenItStops(t *testing.T) {
	t.Parallel()
	server, err := embedded.StartRedis()
	if err != nil {
		t.Fatal(err)
	}
	options, err := redis.ParseURL(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	options.MaxRetries = -1
	client := redis.NewClient(options)
	defer client.Close()
	if err := client.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	server.Stop()
	if err := client.Ping(t.Context()).Err(); err == nil {
		t.Error("it answers after Stop")
	}
}
