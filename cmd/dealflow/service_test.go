package main_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// slow is how long the tests of the whole service wait for something at most: a busy machine may need much of it.
const slow = 3 * time.Minute

// service is a data folder, and the programs that run on it as a user runs them.
type service struct {
	bin, data, address string
	environment        []string
}

// newService makes a service with a folder that is for its owner alone, like root's home.
func newService(t *testing.T, bin string) *service {
	t.Helper()
	s := &service{bin: bin, data: filepath.Join(t.TempDir(), "data"), address: ownAddress(t)}
	s.environment = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains([]string{
			"DATABASE_URL", "MIGRATE_DATABASE_URL", "REDIS_URL", "STORAGE_URL", "SECRET_KEYS", "PUBLIC_URL",
		}, name) ||
			strings.HasPrefix(name, "OPERATOR_")
	})
	s.environment = append(s.environment, "DATA_DIR="+s.data, "HTTP_ADDR="+s.address)
	if unpacked := os.Getenv("TEST_SERVERS"); unpacked != "" {
		linkServers(t, unpacked, s.data)
	}
	return s
}

// linkServers lets the service find the servers that were fetched for the tests where it would fetch them itself.
func linkServers(t *testing.T, unpacked, data string) {
	t.Helper()
	if _, err := os.Stat(unpacked); err != nil {
		return
	}
	if err := errors.Join(os.MkdirAll(data, 0o700), os.Symlink(unpacked, filepath.Join(data, "servers"))); err != nil {
		t.Fatal(err)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	return freePortOf(t, "127.0.0.1")
}

// ownAddress returns a free address that stays free while the service is stopped: of all addresses of this machine
// itself, other tests use 127.0.0.1 alone, also for the connections that they open. Elsewhere than on Linux a machine
// has only that one, and the address may be taken.
func ownAddress(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		return freeAddress(t)
	}
	part := func() int { return 1 + rand.IntN(254) }
	return freePortOf(t, fmt.Sprintf("127.%d.%d.%d", part(), part(), part()))
}

func freePortOf(t *testing.T, host string) string {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func (s *service) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(s.bin, "dealflow"), args...)
	cmd.Env = s.environment
	cmd.Stderr = t.Output()
	return cmd
}

// told is what `up --json` prints.
type told struct {
	Status           string  `json:"status"`
	Seconds          float64 `json:"seconds"`
	PID              int     `json:"pid"`
	BaseURL          string  `json:"base_url"`
	DocsURL          string  `json:"docs_url"`
	DashboardURL     string  `json:"dashboard_url"`
	OperatorUser     string  `json:"operator_user"`
	OperatorPassword string  `json:"operator_password"`
	AccountID        string  `json:"account_id"`
	APIKey           string  `json:"api_key"`
	SignInURL        string  `json:"sign_in_url"`

	used float64 // the processor time, in seconds, of all that was started, until it was ready
}

// up starts everything and waits until it is ready.
func (s *service) up(t *testing.T) (*exec.Cmd, told) {
	t.Helper()
	cmd := s.command(t, "up", "--json")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	var ready told
	if err := json.Unmarshal(line, &ready); err != nil {
		t.Fatalf("up printed %q: %v", line, err)
	}
	ready.used = s.processorTime(t)
	return cmd, ready
}

// processorTime returns the processor time, in seconds, of the processes of this data folder and of their children that
// have ended.
func (s *service) processorTime(t *testing.T) float64 {
	t.Helper()
	const ticks = 100 // in a second
	var used float64
	for _, pids := range s.processes(t) {
		for _, pid := range pids {
			stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // empty for one that has ended
			_, afterName, _ := strings.Cut(string(stat), ") ")
			if fields := strings.Fields(afterName); len(fields) > 15 {
				for _, field := range fields[11:15] { // of the process, then of its children: user, system
					used += number(t, field) / ticks
				}
			}
		}
	}
	return used
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// processes returns the ids of the processes that were started for this data folder, by name. It finds the tool's
// processes by their environment, and the database's by their folder.
func (s *service) processes(t *testing.T) map[string][]int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]int{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		proc := filepath.Join("/proc", entry.Name())
		environment, _ := os.ReadFile(filepath.Join(proc, "environ"))
		cwd, _ := os.Readlink(filepath.Join(proc, "cwd"))
		if strings.Contains(string(environment), "DATA_DIR="+s.data) || strings.HasPrefix(cwd, s.data) {
			exe, _ := os.Readlink(filepath.Join(proc, "exe"))
			name := filepath.Base(exe)
			if strings.HasPrefix(name, "redis-") { // distributions make a link of redis-server
				name = "redis-server"
			}
			found[name] = append(found[name], pid)
		}
	}
	return found
}

func (s *service) killAll(t *testing.T) {
	t.Helper()
	for _, pids := range s.processes(t) {
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

func (s *service) expectNoProcess(t *testing.T) {
	t.Helper()
	var left map[string][]int
	for deadline := time.Now().Add(slow); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if left = s.processes(t); len(left) == 0 {
			return
		}
	}
	t.Errorf("processes are left: %v", left)
}

// get sends a GET request, to which identify, unless nil, adds credentials. Without a response it returns 0 and the
// error's text.
func get(t *testing.T, url string, identify func(*http.Request)) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if identify != nil {
		identify(request)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func withKey(key string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+key) }
}
