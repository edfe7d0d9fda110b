// Package process builds the programs of the service and runs them as processes, for tests of the service from outside.
package process

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// How long operations may take, and the pause between requests to /readyz. The limits are long, since a busy machine
// may need most of them.
const (
	readyWait = 3 * time.Minute
	readyPoll = 50 * time.Millisecond
	stopGrace = time.Minute
	// outputGrace limits the wait for a grandchild that keeps the output of a killed process open.
	outputGrace = 5 * time.Second
)

// Programs is the path of a folder with the programs api, worker and dealflow.
type Programs string

// Build builds the programs with the GOFLAGS of the tests, so that compiled packages are shared with them. The test
// ends if that fails. Tests of several packages share the folder that TEST_PROGRAMS names: go build links a program
// there only if the one that it finds is not up to date. If TEST_PROGRAMS is not set, the programs are removed when the
// test ends.
func Build(tb testing.TB) Programs {
	tb.Helper()
	dir := os.Getenv("TEST_PROGRAMS")
	if dir == "" {
		dir = tb.TempDir()
	}
	defer lock(tb, dir)()
	//nolint:gosec // G204: the folder is the test's
	cmd := exec.CommandContext(tb.Context(), "go", "build", "-ldflags=-s -w", "-o", dir+"/", "dealflow/cmd/...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("build the programs: %v\n%s", err, out)
	}
	return Programs(dir)
}

// lock creates a folder unless it exists, and waits until no other process has locked it. The caller must call unlock.
// The test ends if that fails.
func lock(tb testing.TB, dir string) (unlock func()) {
	tb.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil { //nolint:gosec // G703: whoever runs the tests names the folder
		tb.Fatal(err)
	}
	//nolint:gosec // G304: as above
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		tb.Fatal(err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		tb.Fatalf("lock %s: %v", dir, err)
	}
	return func() { _ = file.Close() }
}

// inherited returns what a program has from the environment of the tests, whatever else its environment is: HOME, PATH,
// and the folder for coverage data.
func inherited() []string {
	return []string{
		"HOME=" + os.Getenv("HOME"), "PATH=" + os.Getenv("PATH"), "GOCOVERDIR=" + os.Getenv("GOCOVERDIR"),
	}
}

// Process is a running program of the service.
type Process struct {
	Address string // where it answers HTTP

	name  string
	cmd   *exec.Cmd
	ended atomic.Bool // Stop or Kill was called
	done  chan struct{}
	log   *tail
}

// Start starts the program name, api or worker, and returns when its /readyz answers 200. The environment has only
// these variables, the address at which it listens, and those that every program inherits. The program is killed when
// the test ends. If it ends before it was stopped or killed, the test fails.
func (p Programs) Start(tb testing.TB, name string, environment []string) *Process {
	tb.Helper()
	s := p.Launch(tb, name, environment)
	s.AwaitReady(tb)
	return s
}

// Launch does what Start does, but does not wait for /readyz.
func (p Programs) Launch(tb testing.TB, name string, environment []string) *Process {
	tb.Helper()
	s := &Process{Address: FreeAddress(tb), name: name, done: make(chan struct{}), log: &tail{}}
	variable := "HTTP_ADDR="
	if name == "worker" {
		variable = "WORKER_HTTP_ADDR="
	}
	//nolint:gosec // G204: a program of ours
	s.cmd = exec.CommandContext(context.WithoutCancel(tb.Context()), filepath.Join(string(p), name))
	s.cmd.Env = slices.Concat([]string{variable + s.Address}, inherited(), environment)
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.cmd.WaitDelay = outputGrace
	if err := s.cmd.Start(); err != nil {
		tb.Fatalf("start %s: %v", name, err)
	}
	go func() {
		defer close(s.done)
		_ = s.cmd.Wait()
		if !s.ended.Load() {
			tb.Errorf("%s (pid %d) ended by itself: %s\n%s", name, s.cmd.Process.Pid, s.cmd.ProcessState, s.log)
		}
	}()
	tb.Cleanup(func() {
		s.Kill()
		if tb.Failed() {
			tb.Logf("%s (pid %d): %s; the end of its log:\n%s", name, s.cmd.Process.Pid, s.cmd.ProcessState,
				s.log.last(shownSize))
		}
	})
	return s
}

// AwaitReady returns when /readyz answers 200. The test ends if the process ends before that, or after three minutes.
func (s *Process) AwaitReady(tb testing.TB) {
	tb.Helper()
	for deadline := time.Now().Add(readyWait); time.Now().Before(deadline); time.Sleep(readyPoll) {
		select {
		case <-s.done:
			tb.Fatalf("%s ended before it was ready: %s\n%s", s.name, s.cmd.ProcessState, s.log)
		default:
		}
		if s.Ready(tb) {
			return
		}
	}
	tb.Fatalf("%s is not ready after %s:\n%s", s.name, readyWait, s.log)
}

// Ready reports whether /readyz answers 200 within two seconds.
func (s *Process) Ready(tb testing.TB) bool {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(tb.Context()), 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.Address+"/readyz", nil)
	if err != nil {
		tb.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// Died reports whether the process ended without being stopped or killed.
func (s *Process) Died() bool {
	select {
	case <-s.done:
		return !s.ended.Load()
	default:
		return false
	}
}

// PID returns the id of the process.
func (s *Process) PID() int { return s.cmd.Process.Pid }

// Signal sends the process a signal, such as SIGSTOP. It does nothing if the process has ended.
func (s *Process) Signal(signal syscall.Signal) { _ = s.cmd.Process.Signal(signal) }

// Stop sends SIGTERM, waits for the end of the process, and returns its exit code, or -1 if it was ended by a signal or
// has not ended after a minute; it is not killed then.
func (s *Process) Stop() int {
	s.ended.Store(true)
	s.Signal(syscall.SIGTERM)
	select {
	case <-s.done:
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(stopGrace):
		return -1
	}
}

// Kill kills the process, and returns when it has ended.
func (s *Process) Kill() {
	s.ended.Store(true)
	_ = s.cmd.Process.Kill()
	<-s.done
}

// Log returns the last 32 KB of the output of the process.
func (s *Process) Log() string { return s.log.String() }

// Run runs dealflow with args and --json, waits for its end, and decodes the JSON object that it prints into made,
// unless made is nil. The environment has only these variables and those that every program inherits. The test ends if
// dealflow fails.
func (p Programs) Run(tb testing.TB, environment []string, made any, args ...string) {
	tb.Helper()
	p.RunWithInput(tb, environment, "", made, args...)
}

// RunWithInput does what Run does, with input as the standard input.
func (p Programs) RunWithInput(tb testing.TB, environment []string, input string, made any, args ...string) {
	tb.Helper()
	//nolint:gosec // G204: a program of ours
	cmd := exec.CommandContext(tb.Context(), filepath.Join(string(p), "dealflow"), append(args, "--json")...)
	cmd.Env = append(inherited(), environment...)
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &said
	if err := cmd.Run(); err != nil {
		tb.Fatalf("dealflow %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), said.String())
	}
	if made == nil {
		return
	}
	if err := json.Unmarshal(out.Bytes(), made); err != nil {
		tb.Fatalf("dealflow %s printed %q: %v", strings.Join(args, " "), out.String(), err)
	}
}

// Team is the id of an account and an API key of its owner.
type Team struct {
	AccountID string
	Key       string
}

// NewTeam migrates the database and creates a Team, by commands of dealflow with this environment.
func (p Programs) NewTeam(tb testing.TB, environment []string) Team {
	tb.Helper()
	var account struct {
		ID string `json:"id"`
	}
	var key struct {
		Key string `json:"key"`
	}
	const owner = "owner@fund.example"
	p.Run(tb, environment, nil, "migrate")
	p.Run(tb, environment, nil, "user", "create", "--email", owner, "--name", "Owner")
	p.Run(tb, environment, &account, "account", "create", "--name", "Fund", "--owner", owner)
	p.Run(tb, environment, &key, "key", "create", "--user", owner, "--name", "test")
	return Team{AccountID: account.ID, Key: key.Key}
}

// FreeAddress returns a host:port of 127.0.0.1 on which no process listens now. Another process may use it at any time.
func FreeAddress(tb testing.TB) string {
	tb.Helper()
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// tail is a writer that keeps the last tailSize bytes. It is safe for concurrent use.
type tail struct {
	mutex sync.Mutex
	text  []byte
}

const (
	tailSize  = 32 << 10
	shownSize = 4 << 10 // of a process that ended as it should
)

var _ io.Writer = (*tail)(nil)

// Write implements io.Writer. It never fails.
func (t *tail) Write(text []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.text = append(t.text, text...)
	t.text = t.text[max(0, len(t.text)-tailSize):]
	return len(text), nil
}

// String returns the bytes that it keeps.
func (t *tail) String() string { return t.last(tailSize) }

func (t *tail) last(size int) string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return string(t.text[max(0, len(t.text)-size):])
}
