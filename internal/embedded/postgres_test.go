package embedded_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"dealflow/internal/embedded"
	"dealflow/internal/testkit"
)

// TestMain lets tests start the test binary as a process to kill: with `serve DIR PG_BIN UNPACKED` it runs a cluster,
// with `redis DIR UNPACKED` a Redis, and with `nap` it ignores SIGTERM, for a minute each.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 5 && os.Args[1] == "serve":
		serve(embedded.Finder{PostgresBin: os.Args[3], Unpacked: os.Args[4]}, os.Args[2])
	case len(os.Args) == 4 && os.Args[1] == "redis":
		serveRedis(embedded.Finder{Unpacked: os.Args[3]}, os.Args[2])
	case len(os.Args) == 2 && os.Args[1] == "nap":
		signal.Ignore(syscall.SIGTERM)
		_, _ = os.Stdout.WriteString("\n")
		time.Sleep(time.Minute)
	default:
		code := m.Run()
		_ = os.RemoveAll(finished.parent)
		os.Exit(code)
	}
}

func serve(finder embedded.Finder, dir string) {
	finder.Logger = slog.New(slog.DiscardHandler)
	p, err := embedded.StartPostgres(context.Background(),
		embedded.PostgresOptions{Dir: dir, Finder: finder, Logger: finder.Logger})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stdout, p.PID(), p.AdminURL())
	time.Sleep(time.Minute)
}

func start(t *testing.T, dir string) *embedded.Postgres {
	t.Helper()
	finder := testkit.Finder(t)
	p, err := embedded.StartPostgres(t.Context(),
		embedded.PostgresOptions{Dir: dir, Finder: finder, Log: t.Output(), Logger: finder.Logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() })
	return p
}

// finished is a stopped cluster that tests copy, since to make one takes seconds.
var finished struct {
	once   sync.Once
	parent string
}

// copied returns a folder of the test's own with a copy of a cluster that was stopped.
func copied(t *testing.T) string {
	t.Helper()
	finished.once.Do(func() {
		parent, err := os.MkdirTemp("", "dealflow-cluster-") //nolint:usetesting // it outlives the test
		if err != nil {
			t.Fatal(err)
		}
		if err := start(t, filepath.Join(parent, "postgres")).Stop(); err != nil {
			t.Fatal(err)
		}
		finished.parent = parent
	})
	dir := filepath.Join(t.TempDir(), "postgres")
	// The files belong to the server's user. Without a template there is nothing to copy, and the copy fails.
	said, err := exec.CommandContext(t.Context(), "cp", "-Rp", filepath.Join(finished.parent, "postgres"), dir).
		CombinedOutput()
	if err != nil {
		t.Fatalf("copy the cluster: %v\n%s", err, said)
	}
	return dir
}

func query(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	var answer string
	if err := conn.QueryRow(t.Context(), sql).Scan(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func exec1(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

const (
	makeNote = "CREATE TABLE note AS SELECT 'kept' AS text"
	readNote = "SELECT text FROM note"
)

func TestPostgresKeepsItsDataOverAStop(t *testing.T) {
	t.Parallel()
	dir := copied(t)
	first := start(t, dir)
	exec1(t, first.AdminURL(), makeNote)
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	if alive(first.PID()) {
		t.Error("the server lives after Stop")
	}
	began := time.Now()
	second := start(t, dir)
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("a start after a clean stop took %s", took)
	}
	if got := query(t, second.AdminURL(), readNote); got != "kept" {
		t.Errorf("read %q", got)
	}
}

func TestPostgresIsPrivate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	p := start(t, dir)
	for name, test := range map[string]struct{ url, sql, want string }{
		"only loopback":  {p.AdminURL(), "SHOW listen_addresses", "127.0.0.1"},
		"no socket":      {p.AdminURL(), "SHOW unix_socket_directories", ""},
		"data is synced": {p.AdminURL(), "SHOW fsync", "on"},
		"unicode":        {p.URL(), "SELECT lower('ÄÉЖ')", "äéж"},
		"the service has no rights": {
			p.URL(),
			"SELECT (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb)::text FROM pg_roles WHERE rolname = " +
				"current_user", "false",
		},
		"the administrator is another": {
			p.AdminURL(), "SELECT rolsuper::text FROM pg_roles WHERE rolname = current_user", "true",
		},
		"both are on the same database": {
			p.URL(), "SELECT current_database()", query(t, p.AdminURL(), "SELECT current_database()"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := query(t, test.url, test.sql); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	stranger := strings.Replace(p.AdminURL(), ":"+password(t, dir)+"@", ":guess@", 1)
	if conn, err := pgx.Connect(t.Context(), stranger); err == nil {
		_ = conn.Close(t.Context())
		t.Error("a wrong password is let in")
	}
	for path, want := range map[string]os.FileMode{
		dir: 0o700, filepath.Join(dir, "data"): 0o700, filepath.Join(dir, "password"): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
		}
	}
}

func password(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "password"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// TestPostgresUnderAFolderOfItsUserAlone runs a cluster below a folder that only we may enter, such as root's home: if
// we are root, the server's user cannot reach its data by a path.
func TestPostgresUnderAFolderOfItsUserAlone(t *testing.T) {
	t.Parallel()
	hidden := filepath.Join(t.TempDir(), "root")
	if err := os.Mkdir(hidden, 0o700); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(hidden, "project", ".dealflow", "postgres")
	p := start(t, dir)
	exec1(t, p.AdminURL(), makeNote)
	if got := query(t, p.AdminURL(), readNote); got != "kept" {
		t.Errorf("read %q", got)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(status), "\nUid:\t0\t") && os.Geteuid() == 0 && inOurNamespace(t, p.PID()) {
		t.Error("the server runs as root")
	}
}

func inOurNamespace(t *testing.T, pid int) bool {
	t.Helper()
	ours, err := os.Readlink("/proc/self/ns/user")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/user", pid))
	if err != nil {
		t.Fatal(err)
	}
	return ours == theirs
}

// starter starts another process that runs a cluster, and returns that process and the server's process id and URL.
func starter(t *testing.T, dir string, who *syscall.Credential) (cmd *exec.Cmd, pid int, url string) {
	t.Helper()
	finder := testkit.Finder(t)
	return starterOf(t, who, "serve", dir, finder.PostgresBin, finder.Unpacked)
}

// starterOf runs this binary again with arguments for TestMain, as another user unless who is nil.
func starterOf(t *testing.T, who *syscall.Credential, args ...string) (cmd *exec.Cmd, pid int, url string) {
	t.Helper()
	cmd = exec.CommandContext(t.Context(), "/proc/self/exe", args...)
	cmd.Dir, cmd.Env, cmd.Stderr = "/", []string{"PATH=/usr/bin:/bin"}, t.Output()
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: who}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(line, &pid, &url); err != nil {
		t.Fatalf("the other process said %q: %v", line, err)
	}
	return cmd, pid, url
}

// alive reports whether a process runs. A zombie does not.
func alive(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return err == nil && !strings.Contains(string(status), "\nState:\tZ")
}

func TestPostgresSurvivesAKill(t *testing.T) {
	t.Parallel()
	for name, all := range map[string]bool{"of its starter": false, "of everything at once": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := copied(t)
			cmd, pid, url := starter(t, dir, nil)
			exec1(t, url, makeNote)
			if all {
				killTree(t, pid)
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			p := start(t, dir)
			if alive(pid) {
				t.Errorf("the old server %d lives beside the new one", pid)
			}
			if got := query(t, p.AdminURL(), readNote); got != "kept" {
				t.Errorf("read %q", got)
			}
		})
	}
}

// killTree kills a server and its children at once.
func killTree(t *testing.T, pid int) {
	t.Helper()
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(strings.Fields(string(children)), strconv.Itoa(pid)) {
		child, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		// A child may end by itself between the look and the kill.
		if err := syscall.Kill(child, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Fatal(err)
		}
	}
}

func TestPostgresStopsWithItsStarter(t *testing.T) {
	t.Parallel()
	cmd, pid, _ := starter(t, copied(t), nil)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); alive(pid); {
		if time.Now().After(deadline) {
			t.Fatalf("the server %d lives on", pid)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestPostgresAsAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // every other test is this one
	}
	dir, nobody := userFolder(t)
	_, _, url := starter(t, filepath.Join(dir, "postgres"), nobody)
	if got := query(t, url, "SELECT 'ready'"); got != "ready" {
		t.Errorf("read %q", got)
	}
}

// userFolder returns a folder of an ordinary user, and the user.
func userFolder(t *testing.T) (string, *syscall.Credential) {
	t.Helper()
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.ParseUint(nobody.Uid, 10, 32)
	gid, _ := strconv.ParseUint(nobody.Gid, 10, 32)
	dir, err := os.MkdirTemp("/tmp", "dealflow-user-") //nolint:usetesting // one that another user can enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		t.Fatal(err)
	}
	return dir, &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func TestPostgresBeginsAnewWhatWasNotFinished(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	half := filepath.Join(dir, "data.new", "base")
	if err := os.MkdirAll(half, 0o700); err != nil {
		t.Fatal(err)
	}
	p := start(t, dir)
	if got := query(t, p.AdminURL(), "SELECT 'ready'"); got != "ready" {
		t.Errorf("read %q", got)
	}
}

// A pid file that was left by a crash may name a process that has nothing to do with us.
func TestPostgresIgnoresAPIDFileOfAnother(t *testing.T) {
	t.Parallel()
	dir := copied(t)
	left := fmt.Sprintf("%d\n/somewhere\n1700000000\n5432\n\n127.0.0.1\n\nready\n", os.Getpid())
	if err := os.WriteFile(filepath.Join(dir, "data", "postmaster.pid"), []byte(left), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, dir)
	if got := query(t, p.AdminURL(), "SELECT 'ready'"); got != "ready" {
		t.Errorf("read %q", got)
	}
}

func TestPostgresSaysWhyItDoesNotStart(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spoil func(t *testing.T, dir string)
		want  string
	}{
		"broken settings": {func(t *testing.T, dir string) {
			t.Helper()
			write(t, filepath.Join(dir, "data", "postgresql.conf"), "nonsense = 1\n")
		}, `unrecognized configuration parameter "nonsense"`},
		"lost password": {func(t *testing.T, dir string) {
			t.Helper()
			if err := os.Remove(filepath.Join(dir, "password")); err != nil {
				t.Fatal(err)
			}
		}, "password is missing"},
		"wrong password": {func(t *testing.T, dir string) {
			t.Helper()
			write(t, filepath.Join(dir, "password"), "guess\n")
		}, "password authentication failed"},
		"made by another version": {func(t *testing.T, dir string) {
			t.Helper()
			write(t, filepath.Join(dir, "data", "PG_VERSION"), "9999\n")
		}, "9999"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := copied(t)
			test.spoil(t, dir)
			finder := testkit.Finder(t)
			if name == "made by another version" {
				finder.Unpacked = "" // so that it is not fetched
			}
			_, err := embedded.StartPostgres(t.Context(),
				embedded.PostgresOptions{Dir: dir, Finder: finder, Logger: finder.Logger})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want one with %q", err, test.want)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
