package main_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"dealflow/internal/testkit/process"
)

// TestUp runs the programs as a user builds them.
func TestUp(t *testing.T) {
	t.Parallel()
	bin := string(process.Build(t))
	t.Run("lives", func(t *testing.T) { t.Parallel(); testLife(t, newService(t, bin)) })
	t.Run("refuses", func(t *testing.T) { t.Parallel(); testRefusals(t, newService(t, bin)) })
	t.Run("traces", func(t *testing.T) { t.Parallel(); testTraces(t, newService(t, bin)) })
}

// The limits of the processor time of a start, in seconds, are what two processors have in the time that users are
// promised: 15 s for the first start, and 3 s for a later one. How long a start takes depends on what else the machine
// does.
const (
	firstStart = 30.0
	laterStart = 6.0
)

// testLife runs its parts one after the other on one data folder, as a service is used over days.
func testLife(t *testing.T, s *service) {
	t.Helper()
	cache := filepath.Join(t.TempDir(), "cache")
	s.environment = append(s.environment, "PDF_CACHE_DIR="+cache)
	cmd, first := s.up(t)
	t.Run("has its PDF reader compiled when it is ready", func(t *testing.T) {
		if compiled, err := filepath.Glob(filepath.Join(cache, "*", "*")); len(compiled) != 1 {
			t.Errorf("the cache holds %v, error %v, want one file", compiled, err)
		}
		if info, err := os.Stat(cache); err != nil || info.Mode().Perm()&0o022 != 0 {
			t.Errorf("others may write code into the cache: %v, error %v", info, err)
		}
	})
	t.Run("is ready in time", func(t *testing.T) {
		if first.Status != "ready" || first.used > firstStart {
			t.Errorf("it was %s after %.1f s of processor time and %.1f s", first.Status, first.used, first.Seconds)
		}
	})
	t.Run("says where everything is", func(t *testing.T) { s.testAddresses(t, first) })
	t.Run("leaves Redis alone when idle", func(t *testing.T) { s.testIdle(t) })
	t.Run("keeps its secrets", func(t *testing.T) { s.testSecrets(t, first) })
	t.Run("gives no secret to whom it is not for", func(t *testing.T) { s.testInherited(t, cmd.Process.Pid, first) })
	t.Run("refuses a second one", func(t *testing.T) { s.testSecond(t, cmd.Process.Pid) })
	t.Run("serves the operator's commands", func(t *testing.T) { s.testCommands(t, first.BaseURL) })
	t.Run("serves agents on stdin and stdout", func(t *testing.T) { s.testAgent(t) })
	t.Run("starts again what is killed", func(t *testing.T) { s.testKilledProcess(t) })
	t.Run("waits for a Postgres that cannot start", func(t *testing.T) { s.testFailedRestart(t) })
	t.Run("stops everything", func(t *testing.T) { s.testStop(t, cmd) })
	t.Run("runs a command without it", func(t *testing.T) { s.testCommandAlone(t) })
	for _, end := range []struct {
		name string
		stop func(t *testing.T, cmd *exec.Cmd)
		most float64
	}{
		{"a clean stop", s.testStop, laterStart}, // of what this one started
		{"a kill of it alone", func(t *testing.T, cmd *exec.Cmd) {
			t.Helper()
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}, firstStart},
		{"a kill of everything", func(t *testing.T, cmd *exec.Cmd) { t.Helper(); s.killAll(t); _ = cmd.Wait() }, firstStart},
		{"the last kill", s.testStop, firstStart},
	} {
		t.Run("starts before "+end.name, func(t *testing.T) {
			cmd, again := s.up(t)
			if again.used > end.most {
				t.Errorf("it was ready after %.1f s of processor time and %.1f s", again.used, again.Seconds)
			}
			if again.APIKey != first.APIKey || again.AccountID != first.AccountID ||
				again.OperatorPassword != first.OperatorPassword {
				t.Errorf("it forgot who may: %+v, first %+v", again, first)
			}
			if status, body := get(t, again.BaseURL+"/accounts", withKey(first.APIKey)); status != http.StatusOK ||
				!strings.Contains(body, first.AccountID) {
				t.Errorf("the key's accounts: %d %s", status, body)
			}
			end.stop(t, cmd)
		})
	}
	t.Run("makes a new key for one that is lost", func(t *testing.T) { s.testLostKey(t, first) })
	s.expectNoProcess(t)
}

// testLostKey starts the service without dev.env: it must find the account again and make a new key, since the old one
// cannot be read.
func (s *service) testLostKey(t *testing.T, first told) {
	t.Helper()
	if err := os.Remove(filepath.Join(s.data, "dev.env")); err != nil {
		t.Fatal(err)
	}
	cmd, again := s.up(t)
	if again.AccountID != first.AccountID || again.APIKey == first.APIKey {
		t.Errorf("account and key are %s and %s, were %s and %s", again.AccountID, again.APIKey, first.AccountID,
			first.APIKey)
	}
	if status, body := get(t, again.BaseURL+"/accounts", withKey(again.APIKey)); status != http.StatusOK {
		t.Errorf("the new key is answered %d: %s", status, body)
	}
	s.testSecrets(t, again)
	s.testStop(t, cmd)
}

func (s *service) testAddresses(t *testing.T, ready told) {
	t.Helper()
	operator := func(r *http.Request) { r.SetBasicAuth(ready.OperatorUser, ready.OperatorPassword) }
	for name, test := range map[string]struct {
		url      string
		identify func(*http.Request)
		want     int
	}{
		"health":                          {"http://" + s.address + "/healthz", nil, http.StatusOK},
		"the API with the key":            {ready.BaseURL + "/accounts", withKey(ready.APIKey), http.StatusOK},
		"the API without":                 {ready.BaseURL + "/accounts", nil, http.StatusUnauthorized},
		"the documentation":               {ready.DocsURL, nil, http.StatusOK},
		"the dashboard for the operator":  {ready.DashboardURL, operator, http.StatusOK},
		"the dashboard for anybody":       {ready.DashboardURL, nil, http.StatusUnauthorized},
		"the page that signs in":          {ready.SignInURL, nil, http.StatusOK},
		"the dashboard for a key's owner": {ready.DashboardURL, withKey(ready.APIKey), http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			if status, body := get(t, test.url, test.identify); status != test.want {
				t.Errorf("%s answers %d, want %d: %.300s", test.url, status, test.want, body)
			}
		})
	}
}

// testIdle counts what everything together makes Redis do while nobody asks for anything.
func (s *service) testIdle(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.data, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	var running struct {
		RedisURL string `json:"redis_url"`
	}
	if err := json.Unmarshal(text, &running); err != nil {
		t.Fatal(err)
	}
	options, err := redis.ParseURL(running.RedisURL)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	defer client.Close()
	processed := func() (n int) {
		stats := client.InfoMap(t.Context(), "stats").Val()["Stats"]
		if n, err = strconv.Atoi(stats["total_commands_processed"]); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const seconds = 5 // of which asynq says once that each server lives
	before := processed()
	time.Sleep(seconds * time.Second)
	if n := processed() - before; n > seconds*20 {
		t.Errorf("Redis did %d commands in %d s, want at most 20 a second", n, seconds)
	}
}

func (s *service) testSecrets(t *testing.T, ready told) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.data, "dev.env"))
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("DEALFLOW_URL=http://%s/api/v1\nDEALFLOW_ACCOUNT_ID=%s\nDEALFLOW_API_KEY=%s\n", s.address,
		ready.AccountID, ready.APIKey)
	if string(text) != want {
		t.Errorf("dev.env holds\n%s\nwant\n%s", text, want)
	}
	err = filepath.WalkDir(s.data, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeSymlink != 0 || path == filepath.Join(s.data, "servers") {
			return err
		}
		if info, err := entry.Info(); err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("others may use %s: %s", path, info.Mode())
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // the database's files come and go
		t.Fatal(err)
	}
}

func (s *service) testSecond(t *testing.T, pid int) {
	t.Helper()
	cmd := s.command(t, "up")
	cmd.Stderr = nil
	_, err := cmd.Output()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || !strings.Contains(string(exit.Stderr), "process id "+strconv.Itoa(pid)) {
		t.Errorf("the second one ended with %v: %s", err, exit.Stderr)
	}
}

func (s *service) testCommands(t *testing.T, base string) {
	t.Helper()
	run := func(args ...string) map[string]any {
		out, err := s.command(t, append(args, "--json")...).Output()
		var made map[string]any
		if err != nil || json.Unmarshal(out, &made) != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		return made
	}
	run("user", "create", "--email", "ana@example.com", "--name", "Ana")
	key := run("key", "create", "--user", "ana@example.com", "--name", "laptop")
	full, _ := key["key"].(string)
	if status, body := get(t, base+"/accounts", withKey(full)); status != http.StatusOK {
		t.Errorf("the new key is answered %d: %s", status, body)
	}
	if findings, _ := run("doctor")["findings"].([]any); len(findings) != 5 {
		t.Errorf("doctor found %v", findings)
	}
}

// testKilledProcess kills a process, and waits until another one of the same name runs and the service is ready.
func (s *service) testKilledProcess(t *testing.T) {
	t.Helper()
	for _, name := range []string{"worker", "api", "redis-server", "postgres"} {
		before := s.processes(t)[name]
		if len(before) == 0 {
			t.Fatalf("no %s runs", name)
		}
		for _, pid := range before {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		deadline := time.Now().Add(slow)
		for ready := false; !ready; time.Sleep(50 * time.Millisecond) {
			now := s.processes(t)[name]
			_, body := get(t, "http://"+s.address+"/readyz", nil)
			ready = len(now) > 0 && !slices.Contains(now, before[0]) && strings.Contains(body, `"status":"ready"`)
			if time.Now().After(deadline) {
				t.Fatalf("no new %s: %v, %s", name, now, body)
			}
		}
	}
}

// testFailedRestart kills Postgres while it cannot be started, as with a full disk, and then lets it start.
func (s *service) testFailedRestart(t *testing.T) {
	t.Helper()
	password := filepath.Join(s.data, "postgres", "password")
	if err := os.Rename(password, password+".aside"); err != nil {
		t.Fatal(err)
	}
	for _, pid := range s.processes(t)["postgres"] {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	time.Sleep(4 * time.Second) // for a start or two that fail
	if err := os.Rename(password+".aside", password); err != nil {
		t.Fatal(err)
	}
	deadline, body := time.Now().Add(slow), ""
	for !strings.Contains(body, `"status":"ready"`) {
		if time.Now().After(deadline) {
			t.Fatalf("it is not ready again: %q", body)
		}
		time.Sleep(50 * time.Millisecond)
		_, body = get(t, "http://"+s.address+"/readyz", nil)
	}
}

// testStop stops the service as Ctrl-C does.
func (s *service) testStop(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if left := s.processes(t); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if _, err := os.Stat(filepath.Join(s.data, "run.json")); err == nil {
		t.Error("run.json is left")
	}
}

// testCommandAlone uses the database while nothing runs.
func (s *service) testCommandAlone(t *testing.T) {
	t.Helper()
	out, err := s.command(t, "--json", "user", "create", "--email", "ben@example.com", "--name", "Ben").Output()
	if err != nil || !strings.Contains(string(out), "ben@example.com") {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := s.command(t, "doctor").Output(); err == nil || !strings.Contains(string(out), "start dealflow up on") {
		t.Errorf("doctor without servers: %v: %s", err, out)
	}
	if left := s.processes(t); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}

func testRefusals(t *testing.T, s *service) {
	t.Helper()
	taken := freeAddress(t)
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", taken)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	alone, err := os.MkdirTemp(s.bin, "alone") //nolint:usetesting // TempDir may be on another file system
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(alone) })
	lonely := filepath.Join(alone, "dealflow")
	if err := os.Link(filepath.Join(s.bin, "dealflow"), lonely); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		program string
		set     []string
		want    []string
	}{
		"wrong settings, all at once": {
			"",
			[]string{"REDIS_URL=http://x", "SECRET_KEYS=short", "STORAGE_URL=/srv", "WORKER_CONCURRENCY=0"},
			[]string{"REDIS_URL", "SECRET_KEYS", "STORAGE_URL", "WORKER_CONCURRENCY"},
		},
		"to run without its siblings": {lonely, nil, []string{"make build"}},
		"an address that is taken":    {"", []string{"HTTP_ADDR=" + taken}, []string{"HTTP_ADDR " + taken}},
		"a database that is not there": {
			"", []string{"DATABASE_URL=postgres://nobody:secret@127.0.0.1:1/none"}, []string{"127.0.0.1"},
		},
		"a storage that is not writable": {
			"", []string{"STORAGE_URL=file:///proc/none", "DATABASE_URL="}, []string{"before it was ready"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := s.command(t, "up")
			cmd.Stderr = nil
			cmd.Env = append(cmd.Env, test.set...)
			if test.program != "" {
				cmd.Path = test.program
			}
			_, err := cmd.Output()
			exit, ok := errors.AsType[*exec.ExitError](err)
			if !ok || exit.ExitCode() != 1 {
				t.Fatalf("it ended with %v", err)
			}
			for _, want := range test.want {
				if !strings.Contains(string(exit.Stderr), want) {
					t.Errorf("it does not say %q:\n%s", want, exit.Stderr)
				}
			}
			if strings.Contains(string(exit.Stderr), "secret@") {
				t.Errorf("it tells a password:\n%s", exit.Stderr)
			}
		})
	}
	s.expectNoProcess(t)
}
