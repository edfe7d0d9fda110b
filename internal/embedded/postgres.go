package embedded

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// What the service uses in its private cluster: a database, and a login that owns nothing in it.
const (
	database = "dealflow"
	service  = "dealflow_service"
)

// stopGrace is how long a server may take to stop. Before it ends, it writes what is in its memory to the disk.
const stopGrace = 30 * time.Second

// PostgresOptions are the options of a private cluster.
type PostgresOptions struct {
	// Dir is the cluster's folder, made with mode 0700 when it is missing. The caller must make sure that no other
	// process starts a cluster there.
	Dir string
	// Finder finds or fetches the binaries.
	Finder Finder
	// Volatile trades safety for speed: nothing is synced to disk. For tests.
	Volatile bool
	// Log receives the output of the server; nil discards it.
	Log io.Writer
	// Logger receives lines about finding and fetching the server. It must not be nil.
	Logger *slog.Logger
}

// Postgres is a running private cluster that can be reached only from this machine. On Linux it stops when this process
// dies. It is safe for concurrent use.
type Postgres struct {
	child           *Child
	port            int
	password        string // the superuser's
	servicePassword string
}

// StartPostgres starts the cluster of opts.Dir, which it creates if there is none, and returns when the cluster accepts
// connections and has the service's database. Processes that a killed run left on the cluster have some seconds to end
// before they are killed. The caller must call Stop, but not after an error. If the server fails, the error contains
// the end of its output.
func StartPostgres(ctx context.Context, opts PostgresOptions) (*Postgres, error) {
	c, err := openCluster(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("start Postgres: %w", err)
	}
	p, err := serve(ctx, c, opts.Volatile)
	if err != nil {
		return nil, fmt.Errorf("start Postgres: %w", err)
	}
	if err := p.makeDatabase(ctx); err != nil {
		return nil, fmt.Errorf("start Postgres: %w", errors.Join(err, p.Stop()))
	}
	return p, nil
}

func openCluster(ctx context.Context, opts PostgresOptions) (*cluster, error) {
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	binaries, err := opts.Finder.Postgres(ctx, clusterVersion(filepath.Join(dir, "data")))
	if err != nil {
		return nil, err
	}
	who, err := findOwner(ctx, dir, binaries)
	if err != nil {
		return nil, err
	}
	opts.Logger.DebugContext(ctx, "postgres found", "dir", binaries.Dir, "as", who.name)
	log := opts.Log
	if log == nil {
		log = io.Discard
	}
	c := &cluster{dir: dir, binaries: binaries, owner: who, log: log}
	return c, c.open(ctx, !opts.Volatile)
}

// serve starts the server on a free port, and returns when it accepts connections. Another process may use the port
// before the server listens on it, so serve tries up to five ports.
func serve(ctx context.Context, c *cluster, volatile bool) (*Postgres, error) {
	const attempts = 5
	for attempt := 1; ; attempt++ {
		p, said, err := serveOnce(ctx, c, volatile)
		if err == nil {
			return p, nil
		}
		if attempt == attempts || !strings.Contains(said, "Address already in use") {
			return nil, fmt.Errorf("%w\n%s", err, said)
		}
	}
}

func serveOnce(ctx context.Context, c *cluster, volatile bool) (p *Postgres, said string, err error) {
	port, err := FreePort(ctx)
	if err != nil {
		return nil, "", err
	}
	var last tail
	child, err := c.start(ctx, c.data(), nil, io.MultiWriter(&last, c.log), "postgres", settings(port, volatile)...)
	if err != nil {
		return nil, "", err
	}
	p = &Postgres{child: child, port: port, password: c.password, servicePassword: rand.Text()}
	if err := p.await(ctx, c.data()); err != nil {
		return nil, last.String(), errors.Join(err, p.Stop())
	}
	return p, "", nil
}

// settings returns the server's settings as arguments. A cluster that is volatile does not survive a crash of the
// machine. The time zone is GMT since that needs no zone files, which a bare machine may lack. The just-in-time
// compiler is off, since it costs more than it saves on short queries, and its library may be missing. By measurement,
// memory, plans and the log are best left at their defaults (ADR 37).
func settings(port int, volatile bool) []string {
	values := []string{
		"listen_addresses=127.0.0.1", "port=" + strconv.Itoa(port), "unix_socket_directories=",
		"timezone=GMT", "log_timezone=GMT", "lc_messages=C", "log_destination=stderr", "logging_collector=off",
		"max_connections=200", "jit=off",
	}
	if volatile {
		values = append(values, "fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=400")
	}
	args := make([]string, 0, 2*len(values))
	for _, value := range values {
		args = append(args, "-c", value)
	}
	return args
}

// await returns nil once the server has accepted the superuser's password. It returns an error if the server ends or
// refuses the login, or if ctx ends.
func (p *Postgres) await(ctx context.Context, data string) error {
	for !ready(data) {
		if ended(p.child) {
			return fmt.Errorf("the server ended: %w", p.child.Err())
		}
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return fmt.Errorf("the server was not ready in time: %w", err)
		}
	}
	conn, err := pgx.Connect(ctx, p.url("postgres", superuser, p.password))
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// ready reports whether the server on a data folder is ready, by the state that it writes into the last line of its pid
// file. Connecting to the server would fill its log while it recovers.
func ready(data string) bool {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid")) //nolint:gosec // G304: our own folder
	return err == nil && strings.HasSuffix(strings.TrimSpace(string(text)), "\nready")
}

func ended(child *Child) bool {
	select {
	case <-child.Done():
		return true
	default:
		return false
	}
}

// makeDatabase creates the service's database and login unless they exist, and sets a new password for the login.
func (p *Postgres) makeDatabase(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, p.url("postgres", superuser, p.password))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	var hasDatabase, hasLogin bool
	err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1),
		EXISTS (SELECT FROM pg_roles WHERE rolname = $2)`, database, service).Scan(&hasDatabase, &hasLogin)
	if err != nil {
		return err
	}
	var statements []string
	if !hasDatabase {
		statements = append(statements, "CREATE DATABASE "+database)
	}
	if !hasLogin {
		statements = append(statements, "CREATE ROLE "+service+" LOGIN")
	}
	// Base32 needs no quoting.
	statements = append(statements, "ALTER ROLE "+service+" PASSWORD '"+p.servicePassword+"'")
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// URL returns the URL of the service's database for a login that has only the rights of the roles that postgres.Migrate
// grants it. Its password is another one after each start.
func (p *Postgres) URL() string { return p.url(database, service, p.servicePassword) }

// AdminURL returns the URL of the same database for the superuser, who migrates. Its password is the same after each
// start.
func (p *Postgres) AdminURL() string { return p.url(database, superuser, p.password) }

func (p *Postgres) url(name, user, password string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(user, password),
		Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(p.port)), Path: name, RawQuery: "sslmode=disable",
	}
	return u.String()
}

// PID returns the process id of the server.
func (p *Postgres) PID() int { return p.child.PID() }

// Done returns a channel that is closed when the server has ended, for whatever reason.
func (p *Postgres) Done() <-chan struct{} { return p.child.Done() }

// Stop ends open connections and the server, and waits until everything is written, at most stopGrace. It returns an
// error if the server had to be killed: the next start then takes longer, but nothing is lost unless the cluster is
// volatile.
func (p *Postgres) Stop() error { return p.child.Stop(syscall.SIGINT, stopGrace) }

// FreePort returns a TCP port of 127.0.0.1 on which no process listens now. Another process may use it at any time.
func FreePort(ctx context.Context) (int, error) {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return 0, fmt.Errorf("%v is no TCP address", listener.Addr())
	}
	return address.Port, nil
}
