// Command servers starts a Postgres and a Redis server on free ports for tests, runs a command with TEST_DATABASE_URL
// and TEST_REDIS_URL set to their URLs, and stops the servers. Without a command it prints the variables as export
// lines, and keeps the servers running until it is interrupted. If a variable is already set, its server is not
// started.
//
//	go run ./internal/testkit/servers -- go test ./internal/company
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"dealflow/internal/embedded"
)

// The variables with the URLs of the servers, with the folder of fetched binaries for tests that start a server
// themselves, and with the folder in which tests build the programs of the service.
const (
	databaseVariable = "TEST_DATABASE_URL"
	redisVariable    = "TEST_REDIS_URL"
	serversVariable  = "TEST_SERVERS"
	programsVariable = "TEST_PROGRAMS"
)

func main() {
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code, err := run(ctx, logger, os.Args[1:])
	stop()
	if err != nil {
		logger.Error(err.Error())
		code = max(code, 1)
	}
	os.Exit(code)
}

// run starts the servers, runs the command in args, stops the servers, and returns the exit code of the command. If
// there is no command, it prints the variables and waits until ctx ends.
func run(ctx context.Context, logger *slog.Logger, args []string) (code int, err error) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	dir, err := makeFolder(parentFolder())
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s := servers{dir: dir, logger: logger}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.start(ctx); err != nil {
		return 1, err
	}
	if len(args) == 0 {
		s.print(ctx)
		return 0, nil
	}
	return s.execute(ctx, args)
}

// servers has the folder of the servers' data, the functions that stop the servers, and the variables for the command.
type servers struct {
	dir       string
	logger    *slog.Logger
	variables []string
	stops     []func() error
}

func (s *servers) start(ctx context.Context) error {
	data, err := filepath.Abs(cmp.Or(os.Getenv("DATA_DIR"), ".dealflow"))
	if err != nil {
		return err
	}
	finder := embedded.Finder{PostgresBin: os.Getenv("PG_BIN"), Unpacked: filepath.Join(data, "servers"), Logger: s.logger}
	s.variables = append(s.variables, serversVariable+"="+finder.Unpacked,
		programsVariable+"="+filepath.Join(s.dir, "programs"))
	if os.Getenv(databaseVariable) == "" {
		if err := s.startPostgres(ctx, finder); err != nil {
			return err
		}
	}
	if os.Getenv(redisVariable) == "" {
		return s.startRedis(ctx, finder)
	}
	return nil
}

func (s *servers) startPostgres(ctx context.Context, finder embedded.Finder) error {
	postgres, err := embedded.StartPostgres(ctx, embedded.PostgresOptions{
		Dir: filepath.Join(s.dir, "postgres"), Finder: finder, Volatile: true, Logger: s.logger,
	})
	if err != nil {
		return err
	}
	s.stops = append(s.stops, postgres.Stop)
	s.variables = append(s.variables, databaseVariable+"="+postgres.AdminURL())
	return nil
}

func (s *servers) startRedis(ctx context.Context, finder embedded.Finder) error {
	url, stop, err := startRedis(ctx, finder)
	if err != nil {
		return err
	}
	s.stops = append(s.stops, stop)
	s.variables = append(s.variables, redisVariable+"="+url)
	return nil
}

func (s *servers) stop() error {
	var err error
	for _, stop := range s.stops {
		err = errors.Join(err, stop())
	}
	return err
}

func (s *servers) print(ctx context.Context) {
	for _, variable := range s.variables {
		name, value, _ := strings.Cut(variable, "=")
		fmt.Printf("export %s='%s'\n", name, value)
	}
	<-ctx.Done()
}

// execute runs the command and returns its exit code, at least 1 if the command failed; an error if it could not be
// run. When ctx ends, it sends the command SIGTERM, and kills it after 10 seconds.
func (s *servers) execute(ctx context.Context, args []string) (int, error) {
	//nolint:gosec // G204: running the given command is what this is for
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), s.variables...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}
