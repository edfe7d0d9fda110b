//go:build faults

package faults_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dealflow/internal/testkit/process"
)

// frozenRequests is how many reads are sent while a server is frozen. postgresLimit and redisLimit are how long a
// client may wait for their answers: refusals while Postgres is frozen, successes while Redis is.
const (
	frozenRequests = 12
	postgresLimit  = 10 * time.Second
	redisLimit     = 10 * time.Second
)

func testFrozenPostgres(t *testing.T, in *installation, l *load) {
	t.Helper()
	freeze(t, tree(in.postgres.PID()), func() {
		for _, a := range readAll(t, l) {
			if a.status != http.StatusServiceUnavailable || a.retryAfter == "" || a.took > postgresLimit {
				t.Errorf("while Postgres is frozen a read is answered %d after %s, Retry-After %q", a.status, a.took, a.retryAfter)
			}
		}
	})
	awaitOK(t, l)
}

func testFrozenRedis(t *testing.T, in *installation, l *load) {
	t.Helper()
	freeze(t, tree(in.queue.PID()), func() {
		for _, a := range readAll(t, l) {
			if a.status != http.StatusOK || a.took > redisLimit {
				t.Errorf("while Redis is frozen a read is answered %d after %s", a.status, a.took)
			}
		}
	})
	awaitOK(t, l)
}

// testStartedDuringAnOutage starts processes while Postgres refuses connections or hangs. They must wait for it, and
// then become ready.
func testStartedDuringAnOutage(t *testing.T, in *installation) {
	t.Helper()
	for name, during := range map[string]func(func()){
		"refuses": func(do func()) { in.proxy.Close(); defer in.proxy.Open(); do() },
		"hangs":   func(do func()) { freeze(t, tree(in.postgres.PID()), do) },
	} {
		var started []*process.Process
		during(func() {
			for _, program := range []string{"api", "worker"} {
				p := in.programs.Launch(t, program, in.environment)
				started = append(started, p)
				for deadline := time.Now().Add(time.Minute); !strings.Contains(p.Log(),
					"waits for it before it starts"); time.Sleep(50 * time.Millisecond) {
					if p.Died() || time.Now().After(deadline) {
						t.Fatalf("%s does not wait for a Postgres that %s:\n%s", program, name, p.Log())
					}
				}
			}
		})
		for _, p := range started {
			p.AwaitReady(t)
		}
		if code := started[0].Stop(); code != 0 {
			t.Errorf("the API ended with %d:\n%s", code, started[0].Log())
		}
		started[1].Kill()
	}
}

// freeze stops processes by SIGSTOP, calls do, and continues the processes.
func freeze(t *testing.T, pids []int, do func()) {
	t.Helper()
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	defer func() {
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	}()
	do()
}

// answer is the response to a request; its status is 0 if there was none.
type answer struct {
	status     int
	retryAfter string
	took       time.Duration
}

func readAll(t *testing.T, l *load) []answer {
	t.Helper()
	answers := make([]answer, frozenRequests)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() { answers[i] = l.read(t, time.Minute) })
	}
	group.Wait()
	return answers
}

func (l *load) read(t *testing.T, patience time.Duration) (a answer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, l.base+"/companies?limit=5", nil)
	if err != nil {
		t.Error(err)
		return a
	}
	request.Header.Set("Authorization", "Bearer "+l.team.Key)
	begun := time.Now()
	got, err := http.DefaultClient.Do(request)
	a.took = time.Since(begun)
	if err != nil {
		return a
	}
	defer got.Body.Close()
	a.status, a.retryAfter = got.StatusCode, got.Header.Get("Retry-After")
	return a
}

// awaitOK waits, for at most 20 seconds, until a read succeeds again.
func awaitOK(t *testing.T, l *load) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if l.read(t, 5*time.Second).status == http.StatusOK {
			return
		}
	}
	t.Error("requests are not answered again after the server went on")
}
