package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"dealflow/internal/embedded"
)

// stack has the servers and the programs that are measured, and the results.
type stack struct {
	options

	dir      string
	log      *slog.Logger
	postgres *embedded.Postgres
	redis    *embedded.Child
	redisURL string
	conn     *pgx.Conn // as the superuser
	secret   string
	ours     pair
	limit    program
	counted  map[string]counted
	waiting  *waiting
	figures  map[*row]*measured
	client   *http.Client
}

// program is a running program, with its URL: an API, a worker or the limit program.
type program struct {
	child *embedded.Child
	url   string
}

// pair is an API and a worker that belong together.
type pair struct{ api, worker program }

// startStack starts the servers in a new folder and fills the database. Unless it returns an error, the caller must
// call stop, which ends the servers and programs and removes the folder.
func startStack(ctx context.Context, o options, log *slog.Logger) (*stack, error) {
	dir, err := os.MkdirTemp("", "dealflow-bench-*")
	if err != nil {
		return nil, err
	}
	s := &stack{options: o, dir: dir, log: log}
	if err := s.prepare(ctx); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// prepare starts the servers and fills the database.
func (s *stack) prepare(ctx context.Context) (err error) {
	began := time.Now()
	finder := embedded.Finder{PostgresBin: s.postgresBin, Unpacked: s.servers, Logger: s.log}
	s.postgres, err = embedded.StartPostgres(
		ctx,
		embedded.PostgresOptions{Dir: filepath.Join(s.dir, "postgres"), Finder: finder, Logger: s.log},
	)
	if err != nil {
		return err
	}
	if err := s.startRedis(ctx, finder); err != nil {
		return fmt.Errorf("start redis-server: %w", err)
	}
	migrate := command(ctx, filepath.Join(s.programs, "dealflow"), "migrate")
	migrate.Env = []string{
		"DATABASE_URL=" + s.postgres.URL(),
		"MIGRATE_DATABASE_URL=" + s.postgres.AdminURL(),
		"HOME=" + s.dir,
	}
	if said, err := migrate.CombinedOutput(); err != nil {
		return fmt.Errorf("migrate: %w\n%s", err, said)
	}
	if s.conn, err = pgx.Connect(ctx, s.postgres.AdminURL()); err != nil {
		return err
	}
	s.secret = rand.Text() + rand.Text()
	s.log.InfoContext(ctx, "seeding", "companies", s.companies, "accounts", s.accounts)
	if err := seed(ctx, s.conn, s.data); err != nil {
		return err
	}
	s.log.InfoContext(ctx, "seeded", "took", time.Since(began).Round(time.Second).String())
	return nil
}

func (s *stack) startRedis(ctx context.Context, finder embedded.Finder) error {
	server, err := embedded.NewRedis(
		ctx,
		embedded.RedisOptions{Dir: filepath.Join(s.dir, "redis"), Finder: finder, Logger: s.log},
	)
	if err != nil {
		return err
	}
	s.redisURL = server.URL()
	s.redis, err = server.Start(ctx)
	return err
}

func (s *stack) redisClient() *redis.Client {
	options, err := redis.ParseURL(s.redisURL)
	if err != nil {
		panic(err) // startRedis made it
	}
	return redis.NewClient(options)
}

// startPrograms starts the programs that are measured, an API, a worker and the limit program, and returns when they
// are ready.
func (s *stack) startPrograms(ctx context.Context) (err error) {
	if s.ours, err = s.startPair(ctx, s.postgres.URL(), s.postgres.URL()); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	address, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	folder := filepath.Join(s.dir, "limit")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	cmd := command(ctx, self, "-serve-limit", "-limit-addr", address, "-limit-folder", folder)
	cmd.Stdin = strings.NewReader(s.postgres.AdminURL())
	s.limit, err = s.startProgram(ctx, cmd, address, "/")
	return err
}

// startPair starts a worker and an API, each with a URL of the database, and returns when both are ready. After an
// error, p has those that were started, which the caller must stop.
func (s *stack) startPair(ctx context.Context, apiDatabase, workerDatabase string) (p pair, err error) {
	addresses := [2]string{}
	for i := range addresses {
		if addresses[i], err = freeAddress(ctx); err != nil {
			return p, err
		}
	}
	cache, err := os.UserCacheDir() // with the PDF reader that is compiled there once
	if err != nil {
		cache = s.dir
	}
	env := func(database string) []string {
		return []string{
			"PDF_CACHE_DIR=" + filepath.Join(cache, "dealflow"),
			"HOME=" + s.dir,
			"PATH=/usr/local/bin:/usr/bin:/bin",
			"DATABASE_URL=" + database,
			"REDIS_URL=" + s.redisURL,
			"STORAGE_URL=file://" + s.dir + "/files",
			"SECRET_KEYS=" + s.secret,
			"OPERATOR_USER=bench",
			"OPERATOR_PASSWORD=" + s.secret,
			"HTTP_ADDR=" + addresses[0],
			"WORKER_HTTP_ADDR=" + addresses[1],
			"RATE_LIMIT_PER_SECOND=1000000",
			"RATE_LIMIT_PER_MINUTE=10000000",
			"MAX_FILE_SIZE=" + strconv.Itoa(2*uploadSize),
		}
	}
	worker := command(ctx, filepath.Join(s.programs, "worker"))
	worker.Env = env(workerDatabase)
	if p.worker, err = s.startProgram(ctx, worker, addresses[1], "/readyz"); err != nil {
		return p, err
	}
	api := command(ctx, filepath.Join(s.programs, "api"))
	api.Env = env(apiDatabase)
	p.api, err = s.startProgram(ctx, api, addresses[0], "/readyz")
	return p, err
}

// command returns a command that the end of ctx does not kill, since programs are stopped by a signal.
func command(ctx context.Context, path string, args ...string) *exec.Cmd {
	return exec.CommandContext(context.WithoutCancel(ctx), path, args...) //nolint:gosec // G204: our own programs
}

// startProgram starts a program, which logs to a file, and returns when GET health on the address has a status below
// 500. It returns an error if the program or ctx ends before that, or if it takes more than a minute; the program may
// still run then.
func (s *stack) startProgram(ctx context.Context, cmd *exec.Cmd, address, health string) (program, error) {
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return program{}, err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	child, err := embedded.StartChild(cmd, syscall.SIGKILL)
	if err != nil {
		return program{}, fmt.Errorf("start %s (run `make build` first): %w", cmd.Path, err)
	}
	p := program{child: child, url: "http://" + address}
	err = await(ctx, child, func() bool {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+health, http.NoBody)
		if err != nil {
			return false
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return false
		}
		defer response.Body.Close()
		return response.StatusCode < http.StatusInternalServerError
	})
	if err != nil {
		return p, fmt.Errorf("%s: %w\n%s", cmd.Path, err, s.logged())
	}
	return p, nil
}

// logged returns the last 2000 bytes of the log of the programs, or why it cannot be read.
func (s *stack) logged() string {
	text, err := os.ReadFile(filepath.Join(s.dir, "log"))
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}

func (p pair) stop() error { return errors.Join(p.api.stop(), p.worker.stop()) }

func (p program) stop() error {
	if p.child == nil {
		return nil
	}
	return p.child.Stop(syscall.SIGTERM, 20*time.Second)
}

func (s *stack) stop() {
	err := errors.Join(s.ours.stop(), s.limit.stop())
	if s.conn != nil {
		_ = s.conn.Close(context.Background())
	}
	if s.redis != nil {
		err = errors.Join(err, s.redis.Stop(syscall.SIGTERM, 5*time.Second))
	}
	if s.postgres != nil {
		err = errors.Join(err, s.postgres.Stop())
	}
	err = errors.Join(err, os.RemoveAll(s.dir))
	if err != nil {
		s.log.Warn("not all servers and programs could be stopped", "error", err)
	}
}

// await calls ready until it returns true, and then returns nil. It returns an error if before that the child or ctx
// ends, or a minute passes.
func await(ctx context.Context, child *embedded.Child, ready func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for !ready() {
		select {
		case <-child.Done():
			return fmt.Errorf("it ended: %w", child.Err())
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

func freeAddress(ctx context.Context) (string, error) {
	port, err := embedded.FreePort(ctx)
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), err
}
