package jobs_test

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"dealflow/internal/testkit"
	"dealflow/internal/work"
)

// ownRedis returns a setup with a Redis server of its own, after a first piece of work was done.
func ownRedis(t *testing.T, args ...string) (*setup, *testkit.OwnRedis) {
	t.Helper()
	server := testkit.StartRedis(t, args...)
	client := redis.NewClient(&redis.Options{Addr: server.Addr, ContextTimeoutEnabled: true})
	t.Cleanup(func() { _ = client.Close() })
	s := newSetupOn(t, time.Minute, client)
	start(t, s.worker.Run)
	s.await(t, s.intake(t, "").WorkID, work.Done)
	return s, server
}

// commands waits for a time, and returns how many commands Redis has carried out in it, also inside scripts.
func (s *setup) commands(t *testing.T, during time.Duration) int {
	t.Helper()
	processed := func() int {
		stats, err := s.redis.InfoMap(t.Context(), "stats").Result()
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(stats["Stats"]["total_commands_processed"])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := processed()
	time.Sleep(during)
	return processed() - before
}

// TestIdleQueueIsNotPolled fails when asynq takes tasks in another way than the one that waiting knows: some 400
// commands a second then.
func TestIdleQueueIsNotPolled(t *testing.T) {
	t.Parallel()
	s, _ := ownRedis(t)
	const seconds = 2
	if n := s.commands(t, seconds*time.Second); n > seconds*20 {
		t.Errorf("an idle worker made Redis do %d commands in %d s, want at most 20 a second: "+
			"does jobs.waiting still know the script that takes tasks?", n, seconds)
	}
}

// TestTasksStartAtOnce would take a whole idleWait for each task that does not end the waiting.
func TestTasksStartAtOnce(t *testing.T) {
	t.Parallel()
	s, _ := ownRedis(t)
	began := time.Now()
	for range 5 {
		time.Sleep(20 * time.Millisecond) // the worker waits again
		s.await(t, s.intake(t, "").WorkID, work.Done)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("five tasks took %s", took)
	}
}

func TestQueueIsPolledWhereWaitingIsRefused(t *testing.T) {
	t.Parallel()
	s, _ := ownRedis(t, "--rename-command", "BLMOVE", "")
	if n := s.commands(t, time.Second); n < 50 {
		t.Errorf("Redis did %d commands in a second: the queue is not polled", n)
	}
	s.await(t, s.intake(t, "").WorkID, work.Done)
}

// TestAWaitThatRedisEndsIsNoRefusal ends the wait with the error that clients get when their server becomes a replica.
func TestAWaitThatRedisEndsIsNoRefusal(t *testing.T) {
	t.Parallel()
	s, _ := ownRedis(t)
	ended := 0
	for deadline := time.Now().Add(10 * time.Second); ended == 0 && time.Now().Before(deadline); {
		clients, err := s.redis.Do(t.Context(), "CLIENT", "LIST").Text()
		if err != nil {
			t.Fatal(err)
		}
		for _, client := range regexp.MustCompile(`(?m)^id=(\d+) .* cmd=blmove `).FindAllStringSubmatch(clients, -1) {
			n, err := s.redis.Do(t.Context(), "CLIENT", "UNBLOCK", client[1], "ERROR").Int()
			if err != nil {
				t.Fatal(err)
			}
			ended += n
		}
	}
	if ended == 0 {
		t.Fatal("no client waits for a task")
	}
	const seconds = 2
	if n := s.commands(t, seconds*time.Second); n > seconds*20 {
		t.Errorf("after its wait was ended, an idle worker made Redis do %d commands in %d s, want at most 20 a second", n,
			seconds)
	}
}

func TestPausedQueueCostsLittle(t *testing.T) {
	t.Parallel()
	s, _ := ownRedis(t)
	inspector := asynq.NewInspectorFromRedisClient(s.redis)
	if err := inspector.PauseQueue(work.Interactive); err != nil {
		t.Fatal(err)
	}
	d := s.intake(t, "")
	if n := s.commands(t, 2*time.Second); n > 100 {
		t.Errorf("a paused queue with a task made Redis do %d commands in 2 s", n)
	}
	if item := s.item(t, d.WorkID); item.State != work.Queued {
		t.Errorf("the work is %s in a paused queue", item.State)
	}
	if err := inspector.UnpauseQueue(work.Interactive); err != nil {
		t.Fatal(err)
	}
	s.await(t, d.WorkID, work.Done)
}

// TestQueuesOutliveARedis starts Redis again, empty, as `dealflow up` does: tasks run, and the inspector knows the
// queues, without which the sweep could not see where a task is.
func TestQueuesOutliveARedis(t *testing.T) {
	t.Parallel()
	s, server := ownRedis(t)
	server.Stop()
	server.Start()
	s.await(t, s.intake(t, "").WorkID, work.Done)
	inspector := asynq.NewInspectorFromRedisClient(s.redis)
	var known []string
	for deadline := time.Now().Add(10 * time.Second); len(known) < 2; time.Sleep(10 * time.Millisecond) {
		known, _ = inspector.Queues()
		if time.Now().After(deadline) {
			t.Fatalf("the queues are %v", known)
		}
	}
	if slices.Sort(known); !slices.Equal(known, []string{work.Bulk, work.Interactive}) {
		t.Errorf("the queues are %v", known)
	}
}

func TestWorkerStopsWhileItWaits(t *testing.T) {
	t.Parallel()
	s := newSetup(t, time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.worker.Run(ctx) }()
	time.Sleep(300 * time.Millisecond)
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(3 * time.Second):
		t.Error("it waits for a task on its way out")
	}
}
