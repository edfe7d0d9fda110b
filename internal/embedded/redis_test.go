package embedded_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"dealflow/internal/embedded"
	"dealflow/internal/testkit"
)

func serveRedis(finder embedded.Finder, dir string) {
	finder.Logger = slog.New(slog.DiscardHandler)
	r, err := embedded.NewRedis(context.Background(),
		embedded.RedisOptions{Dir: dir, Finder: finder, Logger: finder.Logger})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	child, err := r.Start(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stdout, child.PID(), r.URL())
	time.Sleep(time.Minute)
}

// newRedis prepares a server in a folder with a short path, as users have: that of a test's folder is too long for a
// socket.
func newRedis(t *testing.T) (*embedded.Redis, string) {
	t.Helper()
	parent, err := os.MkdirTemp("/tmp", "dealflow-redis-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(parent) })
	dir := filepath.Join(parent, "redis")
	return redisIn(t, dir), dir
}

func redisIn(t *testing.T, dir string) *embedded.Redis {
	t.Helper()
	finder := testkit.Finder(t)
	r, err := embedded.NewRedis(t.Context(),
		embedded.RedisOptions{Dir: dir, Finder: finder, Log: t.Output(), Logger: finder.Logger})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func startRedis(t *testing.T, r *embedded.Redis) *embedded.Child {
	t.Helper()
	child, err := r.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Stop(syscall.SIGKILL, time.Second) })
	return child
}

func redisClient(t *testing.T, url string) *redis.Client {
	t.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func expectPing(t *testing.T, client *redis.Client) {
	t.Helper()
	if err := client.Ping(t.Context()).Err(); err != nil {
		t.Errorf("it does not answer: %v", err)
	}
}

func TestRedisListensOnASocketAlone(t *testing.T) {
	t.Parallel()
	r, dir := newRedis(t)
	child := startRedis(t, r)
	client := redisClient(t, r.URL())
	expectPing(t, client)
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "redis.sock"): 0o700} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
	if port := client.ConfigGet(t.Context(), "port").Val()["port"]; port != "0" {
		t.Errorf("it listens on port %s", port)
	}
	if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child.PID())); err != nil ||
		strings.Contains(string(line), redisPassword(client)) {
		t.Errorf("the command line is %q, %v", line, err)
	}
}

func redisPassword(client *redis.Client) string { return client.Options().Password }

func TestRedisIsBoundAndKeepsNothing(t *testing.T) {
	t.Parallel()
	r, dir := newRedis(t)
	child := startRedis(t, r)
	client := redisClient(t, r.URL())
	for name, want := range map[string]string{
		"maxmemory-policy": "noeviction", "maxmemory": "536870912", "save": "", "appendonly": "no",
	} {
		if got := client.ConfigGet(t.Context(), name).Val()[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if err := client.Set(t.Context(), "k", "v", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if err := child.Stop(syscall.SIGTERM, 5*time.Second); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestRedisWantsThePassword(t *testing.T) {
	t.Parallel()
	r, _ := newRedis(t)
	startRedis(t, r)
	known := redisClient(t, r.URL()).Options()
	for name, password := range map[string]string{"none": "", "wrong": "guess"} {
		stranger := redis.NewClient(&redis.Options{
			Network: known.Network, Addr: known.Addr, Password: password, MaxRetries: -1,
		})
		defer stranger.Close()
		if err := stranger.Set(t.Context(), "k", "v", 0).Err(); err == nil {
			t.Errorf("%s: a stranger may write", name)
		}
	}
}

// TestRedisStartsAgain kills the server, which leaves its socket behind, as a crash does.
func TestRedisStartsAgain(t *testing.T) {
	t.Parallel()
	r, dir := newRedis(t)
	first := startRedis(t, r)
	client, url := redisClient(t, r.URL()), r.URL()
	expectPing(t, client)
	if err := first.Stop(syscall.SIGKILL, time.Second); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "redis.sock")); err != nil {
		t.Errorf("the test does not test: %v", err)
	}
	startRedis(t, r)
	expectPing(t, client)
	if r.URL() != url {
		t.Errorf("it is at %s, was at %s", r.URL(), url)
	}
}

func TestRedisStopsWithItsStarter(t *testing.T) {
	t.Parallel()
	_, dir := newRedis(t)
	cmd, pid, url := starterOf(t, nil, "redis", dir, testkit.Finder(t).Unpacked)
	expectPing(t, redisClient(t, url))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); alive(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the server %d lives on", pid)
		}
	}
	next := redisIn(t, dir)
	startRedis(t, next)
	expectPing(t, redisClient(t, next.URL()))
}

func TestRedisIsNotRoot(t *testing.T) {
	t.Parallel()
	r, dir := newRedis(t)
	if os.Geteuid() != 0 {
		return // the next test is for users
	}
	if err := os.Chmod(filepath.Dir(dir), 0o700); err != nil { // like root's home
		t.Fatal(err)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", startRedis(t, r).PID()))
	if err != nil || strings.Contains(string(status), "\nUid:\t0\t") {
		t.Errorf("it runs as root: %v\n%s", err, status)
	}
	expectPing(t, redisClient(t, r.URL()))
}

func TestRedisAsAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // every other test is this one
	}
	dir, nobody := userFolder(t)
	servers := testkit.Finder(t).Unpacked
	if _, err := exec.LookPath("redis-server"); err != nil { // what root's tests use, the user may not enter
		servers = filepath.Join(dir, "servers")
		if err := os.CopyFS(servers, os.DirFS(testkit.Finder(t).Unpacked)); err != nil {
			t.Fatal(err)
		}
	}
	_, _, url := starterOf(t, nobody, "redis", filepath.Join(dir, "redis"), servers)
	expectPing(t, redisClient(t, url))
}

func TestRedisTakesAPortWhereThePathIsTooLong(t *testing.T) {
	t.Parallel()
	r := redisIn(t, filepath.Join(t.TempDir(), strings.Repeat("long", 30)))
	startRedis(t, r)
	client := redisClient(t, r.URL())
	if host, _, _ := net.SplitHostPort(client.Options().Addr); host != "127.0.0.1" {
		t.Errorf("it is at %s", client.Options().Addr)
	}
	expectPing(t, client)
}

func TestRedisSaysWhyItDoesNotStart(t *testing.T) {
	t.Parallel()
	r, dir := newRedis(t)
	if err := os.MkdirAll(filepath.Join(dir, "redis.sock", "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "ocket") {
		t.Errorf("the error is %v", err)
	}
}
