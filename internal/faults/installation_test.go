//go:build faults

package faults_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"dealflow/internal/embedded"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/process"
)

const replicas = 2 // of api and of worker

// installation is a whole service: two APIs and two workers, Postgres behind a proxy, Redis, and a folder for files.
type installation struct {
	t           *testing.T // of the whole installation; a subtest fails with its own
	programs    process.Programs
	environment []string
	team        process.Team
	storage     string

	folder   string // of the database
	postgres *embedded.Postgres
	proxy    *testkit.CommitCutter
	redis    *embedded.Redis
	queue    *embedded.Child

	mutex   sync.Mutex // of the processes, which are replaced as they are killed
	apis    []*process.Process
	workers []*process.Process
}

func install(t *testing.T) *installation {
	t.Helper()
	in := &installation{
		t: t, programs: process.Build(t), storage: t.TempDir(), folder: filepath.Join(t.TempDir(), "postgres"),
	}
	in.startPostgres(t)
	t.Cleanup(func() { _ = in.postgres.Stop() })
	in.proxy = testkit.NewCommitCutter(t, in.makeLogin())
	var err error
	in.redis, err = embedded.NewRedis(t.Context(),
		embedded.RedisOptions{Dir: filepath.Join(t.TempDir(), "redis"), Finder: testkit.Finder(t), Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	in.startRedis(t)
	t.Cleanup(func() { _ = in.queue.Stop(syscall.SIGKILL, time.Second) })
	in.environment = []string{
		"DATABASE_URL=" + in.proxy.URL, "REDIS_URL=" + in.redis.URL(), "STORAGE_URL=file://" + in.storage,
		"SECRET_KEYS=" + strings.Repeat("k", 32),
		"RATE_LIMIT_PER_SECOND=0", "RATE_LIMIT_PER_MINUTE=0", "WORKER_LEASE=3s",
	}
	in.team = in.programs.NewTeam(t, in.environment)
	for range replicas {
		in.apis = append(in.apis, in.start(t, "api"))
		in.workers = append(in.workers, in.start(t, "worker"))
	}
	return in
}

// start starts an API or a worker, and waits until it is ready. The program runs until the installation ends, not only
// until the end of the subtest t.
func (in *installation) start(t *testing.T, name string) *process.Process {
	t.Helper()
	p := in.programs.Launch(in.t, name, in.environment)
	p.AwaitReady(t)
	return p
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func (in *installation) startPostgres(t *testing.T) {
	t.Helper()
	server, err := embedded.StartPostgres(t.Context(),
		embedded.PostgresOptions{Dir: in.folder, Finder: testkit.Finder(t), Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	in.postgres = server
}

// makeLogin creates a login with a fixed password, which is also valid after the server was started again, and returns
// its URL.
func (in *installation) makeLogin() string {
	in.t.Helper()
	for _, statement := range []string{
		"CREATE ROLE dealflow_app NOLOGIN", "CREATE ROLE dealflow_system NOLOGIN",
		"CREATE ROLE faults LOGIN PASSWORD 'faults' IN ROLE dealflow_app, dealflow_system",
		"ALTER DATABASE dealflow OWNER TO faults", "ALTER SCHEMA public OWNER TO faults",
	} {
		if _, err := in.admin().ExecContext(in.t.Context(), statement); err != nil {
			in.t.Fatalf("%s: %v", statement, err)
		}
	}
	address, err := url.Parse(in.postgres.AdminURL())
	if err != nil {
		in.t.Fatal(err)
	}
	address.User = url.UserPassword("faults", "faults")
	return address.String()
}

// admin returns a pool of connections to the present server as its superuser, who sees all rows.
func (in *installation) admin() *sql.DB {
	in.t.Helper()
	pool, err := sql.Open("pgx", in.postgres.AdminURL())
	if err != nil {
		in.t.Fatal(err)
	}
	in.t.Cleanup(func() { _ = pool.Close() })
	return pool
}

func (in *installation) startRedis(t *testing.T) {
	t.Helper()
	child, err := in.redis.Start(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	in.queue = child
}

// balancer returns a load balancer, which sends each request to a random API, and responds 502 if that API cannot be
// reached.
func (in *installation) balancer() http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			in.mutex.Lock()
			defer in.mutex.Unlock()
			r.SetURL(&url.URL{Scheme: "http", Host: in.apis[rand.IntN(len(in.apis))].Address})
		},
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		FlushInterval: -1,
	}
}

// fault is a function that breaks a part of the installation for a while, and its name in the log.
type fault struct {
	name string
	do   func(*testing.T, *rand.Rand)
}

func (in *installation) faults() []fault {
	return []fault{
		{"an API is killed", func(t *testing.T, r *rand.Rand) {
			t.Helper()
			in.replace(t, in.apis, r.IntN(replicas), "api")
		}},
		{"a worker is killed", func(t *testing.T, r *rand.Rand) {
			t.Helper()
			in.replace(t, in.workers, r.IntN(replicas), "worker")
		}},
		{"an API stops", func(_ *testing.T, r *rand.Rand) { in.hold(r, in.apis[r.IntN(replicas)]) }},
		{"a worker stops", func(_ *testing.T, r *rand.Rand) { in.hold(r, in.workers[r.IntN(replicas)]) }},
		{"answers to COMMIT are lost", func(_ *testing.T, r *rand.Rand) { in.proxy.Cut(1 + r.Int32N(5)) }},
		{"the database cannot be asked about a COMMIT", func(_ *testing.T, r *rand.Rand) {
			in.proxy.Close()
			in.proxy.Cut(2)
			pause(r, 4*time.Second)
			in.proxy.Open()
		}},
		{"Redis forgets everything", func(t *testing.T, _ *rand.Rand) { t.Helper(); in.killRedis(t) }},
		{"Redis stops", func(_ *testing.T, r *rand.Rand) { signalFor(r, tree(in.queue.PID())) }},
		{"Postgres stops", func(_ *testing.T, r *rand.Rand) { signalFor(r, tree(in.postgres.PID())) }},
		{"Postgres is killed", func(t *testing.T, _ *rand.Rand) { t.Helper(); in.killPostgres(t) }},
	}
}

func (in *installation) replace(t *testing.T, processes []*process.Process, i int, name string) {
	t.Helper()
	processes[i].Kill()
	made := in.start(t, name)
	in.mutex.Lock()
	defer in.mutex.Unlock()
	processes[i] = made
}

// hasLost reports whether an API or a worker died by itself.
func (in *installation) hasLost() bool {
	in.mutex.Lock()
	defer in.mutex.Unlock()
	return slices.ContainsFunc(slices.Concat(in.apis, in.workers), (*process.Process).Died)
}

func (in *installation) hold(r *rand.Rand, p *process.Process) {
	p.Signal(syscall.SIGSTOP)
	pause(r, 5*time.Second)
	p.Signal(syscall.SIGCONT)
}

func (in *installation) killRedis(t *testing.T) {
	t.Helper()
	_ = in.queue.Stop(syscall.SIGKILL, 0)
	in.startRedis(t)
}

func (in *installation) killPostgres(t *testing.T) {
	t.Helper()
	for _, pid := range tree(in.postgres.PID()) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	<-in.postgres.Done()
	in.startPostgres(t)
	address, err := url.Parse(in.postgres.AdminURL())
	if err != nil {
		t.Fatal(err)
	}
	in.proxy.Retarget(address.Host)
}

func signalFor(r *rand.Rand, pids []int) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	pause(r, 5*time.Second)
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
}

func pause(r *rand.Rand, most time.Duration) { time.Sleep(time.Duration(r.Int64N(int64(most)))) }

// tree returns the ids of a process and its descendants.
func tree(pid int) []int {
	all := []int{pid}
	children, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range children {
		text, _ := os.ReadFile(file)
		for field := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				all = append(all, tree(child)...)
			}
		}
	}
	return all
}
