package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dealflow/internal/config"
)

func (t *tool) newUp() *cobra.Command {
	return &cobra.Command{
		Use:   "up",
		Short: "Run everything: database, queue, storage, API and worker, each embedded unless its URL is set",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.LoadUp()
			if err != nil {
				return err
			}
			s := &supervisor{
				cfg: cfg, dir: dataDir(cfg.Embedded.DataDir), log: t.logger(cfg.Log), began: time.Now(),
				output: t.errOut, environment: os.Environ(), announce: t.announceUp,
			}
			return s.run(cmd.Context())
		},
	}
}

// supervisor starts the servers whose URLs are not set, and then the API and a worker, and starts again what dies.
type supervisor struct {
	cfg         config.Up
	dir         dataDir
	log         *slog.Logger
	began       time.Time
	output      processOutput
	environment []string
	announce    func(up) error

	programs string // the folder of api and worker
	secret   string
	operator operator
}

// operator has the login for the queue's dashboard and the metrics. made is true if the password was not set but
// generated, now or earlier, and must be shown to the user.
type operator struct {
	user, password string
	made           bool
}

// errServerDied is the error of a session whose database server died; run then starts everything again.
var errServerDied = errors.New("the database server died")

// retryStart is the pause before a start that follows a failed one.
const retryStart = 2 * time.Second

// run runs everything until ctx ends, stops everything, and returns nil. If the database server dies, it starts
// everything again until that succeeds, since its disk may be full for a while; from then on it also starts again after
// other errors. It returns an error if anything else keeps the service from running before that.
func (s *supervisor) run(ctx context.Context) error {
	unlock, err := s.prepare(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	defer s.compileReader(ctx)()
	for restarting := false; ; restarting = true {
		err := s.session(ctx)
		died := errors.Is(err, errServerDied)
		if ctx.Err() == nil && !died && !restarting {
			return err
		}
		if ctx.Err() == nil {
			s.log.ErrorContext(ctx, "all servers and programs are started again", "error", err)
		}
		if ctx.Err() == nil && !died {
			_ = pause(ctx, retryStart)
		}
		if ctx.Err() != nil {
			s.log.InfoContext(ctx, "stopped", "left", describe(err))
			return nil
		}
	}
}

// describe returns a text for the log about err, the error of stopping; "nothing" if err is nil or wraps
// context.Canceled.
func describe(err error) string {
	if err == nil || errors.Is(err, context.Canceled) {
		return "nothing"
	}
	return err.Error()
}

// prepare finds the programs, locks the data folder, removes a run.json that was left behind, generates missing
// secrets, and checks that the API's address is free. The caller must call unlock at the end. After an error, the
// folder is not locked.
func (s *supervisor) prepare(ctx context.Context) (unlock func(), err error) {
	if s.programs, err = findPrograms(); err != nil {
		return nil, err
	}
	if err := s.dir.make(); err != nil {
		return nil, err
	}
	if unlock, err = s.lockFolder(ctx); err != nil {
		return nil, err
	}
	// Remove what an `up` that was killed has announced: in a container, this one may have the same process id.
	_ = os.Remove(s.dir.path(runFile))
	if err := errors.Join(s.makeSecrets(), free(ctx, "HTTP_ADDR", s.cfg.HTTP.Addr)); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// findPrograms returns the folder of this program. It returns an error if the programs api and worker are not in it.
func findPrograms() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	dir := filepath.Dir(self)
	for _, name := range []string{"api", "worker"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.IsDir() {
			return "", fmt.Errorf("%s is not in %s: run `make build`, then start bin/dealflow", name, dir)
		}
	}
	return dir, nil
}

// lockFolder locks the data folder, and returns the function that unlocks it. While a command has locked the folder, it
// waits for up to 20 seconds. If it is still locked then, or another `up` has locked it, the error wraps an
// *inUse.
func (s *supervisor) lockFolder(ctx context.Context) (func(), error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for {
		unlock, err := s.dir.lock("up")
		other, held := errors.AsType[*inUse](err)
		if !held || other.command == "up" || pause(ctx, 100*time.Millisecond) != nil {
			return unlock, err
		}
	}
}

func (s *supervisor) makeSecrets() (err error) {
	if s.secret = strings.Join(s.cfg.Secrets.Keys, ","); s.secret == "" {
		if s.secret, err = s.dir.secret(secretFile); err != nil {
			return err
		}
		s.secret = keysIn(s.secret)
	}
	s.operator = operator{user: s.cfg.Operator.User, password: s.cfg.Operator.Password}
	if !s.cfg.Operator.Enabled() {
		s.operator = operator{user: "operator", made: true}
		s.operator.password, err = s.dir.secret(operatorFile)
	}
	return err
}

// free returns nil if this process can listen on address, else an error that names the setting. It tries for three
// seconds, since the process that listens there may be about to end.
func free(ctx context.Context, setting, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	for {
		var config net.ListenConfig
		listener, err := config.Listen(ctx, "tcp", address)
		if err == nil {
			return listener.Close()
		}
		if pause(ctx, 100*time.Millisecond) != nil {
			return fmt.Errorf("%s %s cannot be listened on: stop what is there, or set another address: %w", setting, address,
				err)
		}
	}
}

// session starts everything, announces that it is ready, and waits until ctx ends. It stops everything before it
// returns. The error wraps errServerDied if the database server died; else it is that of starting, of a process that is
// not started again, or of stopping. If ctx ends, it is nil, or an error of ctx if not everything was ready yet.
func (s *supervisor) session(ctx context.Context) (err error) {
	servers, err := s.startServers(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, servers.stop()) }()
	facts, err := s.furnish(ctx, servers)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(s.dir.path(runFile)) }()
	fleet, err := s.startFleet(ctx, servers, facts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fleet.stop()) }()
	if err := fleet.awaitReady(ctx, s.cfg.HTTP.LocalURL()+"/readyz", servers.died()); err != nil {
		return err
	}
	console := s.cfg.HTTP.LocalURL() // the cookie of a session belongs to this host
	if facts.signIn, err = signInLink(ctx, servers.database.service, console, facts.demo.user); err != nil {
		return err
	}
	if err := s.announce(facts); err != nil {
		return err
	}
	return fleet.watch(ctx, servers.died())
}

// furnish migrates the schema, finds or creates the demo user, and writes dev.env and run.json with the addresses of
// the running servers and programs. It returns what announce must print, except the sign-in link.
func (s *supervisor) furnish(ctx context.Context, servers *servers) (up, error) {
	if err := migrate(ctx, servers.database); err != nil {
		return up{}, err
	}
	demo, err := findDemo(ctx, s.dir, servers.database.service)
	if err != nil {
		return up{}, err
	}
	worker, err := s.workerAddress(ctx)
	if err != nil {
		return up{}, err
	}
	base := s.cfg.HTTP.LocalURL()
	facts := up{running: running{
		PID: os.Getpid(), BaseURL: base + "/api/v1", DocsURL: base + "/docs", DashboardURL: base + "/admin/queues",
		WorkerURL:    "http://" + worker,
		OperatorUser: s.operator.user, OperatorPassword: s.operator.password,
		DatabaseURL: servers.database.service, MigrateURL: servers.database.migrate, RedisURL: servers.redisURL,
		StorageURL: servers.storageURL,
	}, demo: demo, worker: worker, devFile: s.dir.path(devFile), began: s.began, passwordMade: s.operator.made}
	return facts, errors.Join(demo.write(s.dir, facts.BaseURL), s.dir.announce(facts.running))
}

// workerAddress returns WORKER_HTTP_ADDR if a process can listen on it now. Otherwise, for example if the worker of
// another data folder listens there, it returns a free port of 127.0.0.1.
func (s *supervisor) workerAddress(ctx context.Context) (string, error) {
	var config net.ListenConfig
	for _, address := range []string{s.cfg.Worker.Addr, "127.0.0.1:0"} {
		if listener, err := config.Listen(ctx, "tcp", address); err == nil {
			defer listener.Close()
			return listener.Addr().String(), nil
		}
	}
	return "", errors.New("no address is free for the worker's health: set WORKER_HTTP_ADDR")
}
