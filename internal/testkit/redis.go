package testkit

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"dealflow/internal/embedded"
)

// claimWait is how long a test waits for a Redis database that no other test uses. claimLife is how long a claim on a
// database lasts unless its test ends before, so that the databases of killed processes become free. No test may use a
// database for longer.
const (
	claimWait = time.Minute
	claimLife = 15 * time.Minute
)

// Redis returns a client of an empty Redis database that no other test uses. When the test ends, the database is
// emptied and the client closed. The databases of a server share their channels, so tests must publish on channels with
// unique names.
func Redis(tb testing.TB) redis.UniversalClient {
	tb.Helper()
	return openRedis(tb, RedisURL(tb))
}

// RedisURL returns the URL of an empty database that no other test uses, for tests that open it themselves. It is
// emptied when the test ends.
func RedisURL(tb testing.TB) string {
	tb.Helper()
	text := os.Getenv("TEST_REDIS_URL")
	if text == "" {
		tb.Fatal("TEST_REDIS_URL is not set: run `make test`, or `go run ./internal/testkit/servers -- go test ./…`")
	}
	options, err := redis.ParseURL(text)
	if err != nil {
		tb.Fatalf("TEST_REDIS_URL: %v", err)
	}
	admin := openRedis(tb, text)
	options.DB = claimRedis(tb, admin)
	return fmt.Sprintf("redis://:%s@%s/%d", options.Password, options.Addr, options.DB)
}

// claimRedis empties a database that no other test uses until this one ends, and returns its number. A key in database
// 0 records that it is in use, since the tests of several processes run at once. The test ends if no database becomes
// free within claimWait.
func claimRedis(tb testing.TB, admin *redis.Client) int {
	tb.Helper()
	databases := countRedis(tb, admin)
	for deadline := time.Now().Add(claimWait); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		for n := range databases - 1 {
			db := 1 + (os.Getpid()+n)%(databases-1) // the first one holds the claims
			key := "testkit:database:" + strconv.Itoa(db)
			taken, err := admin.SetNX(tb.Context(), key, tb.Name(), claimLife).Result()
			if err != nil {
				tb.Fatalf("claim a Redis database: %v: run `make test`", err)
			}
			if taken {
				emptyRedis(tb, admin, db)
				tb.Cleanup(func() {
					emptyRedis(tb, admin, db)
					admin.Del(context.WithoutCancel(tb.Context()), key)
				})
				return db
			}
		}
	}
	tb.Fatalf("all %d databases of the test Redis are in use", databases)
	return 0
}

func countRedis(tb testing.TB, admin *redis.Client) int {
	tb.Helper()
	values, err := admin.ConfigGet(tb.Context(), "databases").Result()
	if err != nil {
		tb.Fatalf("TEST_REDIS_URL names a server that does not answer: %v: run `make test`", err)
	}
	databases, err := strconv.Atoi(values["databases"])
	if err != nil || databases < 2 {
		tb.Fatalf("the test Redis has %q databases: it needs more than one", values["databases"])
	}
	return databases
}

func emptyRedis(tb testing.TB, admin *redis.Client, db int) {
	tb.Helper()
	ctx := context.WithoutCancel(tb.Context())
	_, err := admin.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Do(ctx, "SELECT", db)
		p.FlushDB(ctx)
		p.Do(ctx, "SELECT", 0) // the connection goes back to the pool
		return nil
	})
	if err != nil {
		tb.Errorf("empty the Redis database %d: %v", db, err)
	}
}

func openRedis(tb testing.TB, url string) *redis.Client {
	tb.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		tb.Fatalf("Redis: %v", err)
	}
	options.ContextTimeoutEnabled = true
	client := redis.NewClient(options)
	tb.Cleanup(func() { _ = client.Close() })
	return client
}

// OwnRedis is a Redis server of one test, which may stop it and start it again.
type OwnRedis struct {
	URL   string // Stop and Start do not change it
	Addr  string // host:port
	tb    testing.TB
	args  []string
	child *embedded.Child
}

// StartRedis starts a redis-server on a free port, with args added to its command line, and waits until it answers. It
// is stopped when the test ends.
func StartRedis(tb testing.TB, args ...string) *OwnRedis {
	tb.Helper()
	port, err := embedded.FreePort(tb.Context())
	if err != nil {
		tb.Fatalf("find a port for Redis: %v", err)
	}
	addr := "127.0.0.1:" + strconv.Itoa(port)
	own := &OwnRedis{URL: "redis://" + addr + "/0", Addr: addr, tb: tb, args: append([]string{
		"--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--dir", tb.TempDir(), "--save", "", "--appendonly", "no",
	}, args...)}
	own.Start()
	tb.Cleanup(own.Stop)
	return own
}

// StartRedisCluster starts a Redis cluster of one node, which has all slots and refuses commands whose keys are in
// several slots. It takes two seconds, since a new node waits for that long before it accepts writes.
func StartRedisCluster(tb testing.TB) *OwnRedis {
	tb.Helper()
	own := StartRedis(tb, "--cluster-enabled", "yes")
	own.URL = "redis-cluster://" + own.Addr
	slots := make([]int, 16384)
	for i := range slots {
		slots[i] = i
	}
	node := openRedis(tb, "redis://"+own.Addr)
	if err := node.ClusterAddSlots(tb.Context(), slots...).Err(); err != nil {
		tb.Fatalf("make a Redis cluster: %v", err)
	}
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(node.ClusterInfo(tb.Context()).Val(),
		"cluster_state:ok"); {
		if time.Now().After(deadline) {
			tb.Fatal("the Redis cluster does not come up")
		}
		time.Sleep(5 * time.Millisecond)
	}
	return own
}

// Start starts the server after Stop, without data, and waits until it answers. The test ends if it does not within 10
// seconds.
func (r *OwnRedis) Start() {
	r.tb.Helper()
	binaries, err := Finder(r.tb).Redis(r.tb.Context())
	if err != nil {
		r.tb.Fatalf("find redis-server: %v", err)
	}
	// Stop ends the server, not the end of the test's context.
	cmd := binaries.Command(context.WithoutCancel(r.tb.Context()), "redis-server", r.args...)
	if r.child, err = embedded.StartChild(cmd, syscall.SIGKILL); err != nil {
		r.tb.Fatalf("start redis-server: %v", err)
	}
	client := openRedis(r.tb, "redis://"+r.Addr)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		err := client.Ping(r.tb.Context()).Err()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			r.tb.Fatalf("redis-server does not answer: %v", err)
		}
	}
}

// Signal sends the server a signal, such as SIGSTOP. If that fails, it reports an error of the test.
func (r *OwnRedis) Signal(sig syscall.Signal) {
	r.tb.Helper()
	if err := syscall.Kill(r.child.PID(), sig); err != nil {
		r.tb.Errorf("send redis-server %s: %v", sig, err)
	}
}

// Stop kills the server by SIGKILL, so that it cannot close its connections first, and waits for its end.
func (r *OwnRedis) Stop() {
	r.tb.Helper()
	if err := r.child.Stop(syscall.SIGKILL, 5*time.Second); err != nil {
		r.tb.Errorf("stop redis-server: %v", err)
	}
}
