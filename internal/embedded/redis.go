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
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	redisProgram = "redis-server"
	redisSocket  = "redis.sock"
	redisWelcome = "+OK\r\n"
	// redisStart bounds how long a start may take; a few milliseconds are usual.
	redisStart = 20 * time.Second
	redisPoll  = 2 * time.Millisecond
)

// RedisOptions are the options of a private Redis server.
type RedisOptions struct {
	// Dir is the server's folder, made with mode 0700 when it is missing. It has nothing but the socket.
	Dir string
	// Finder finds or fetches the binary.
	Finder Finder
	// Log receives the output of the server; nil discards it.
	Log io.Writer
	// Logger receives lines about finding and fetching the server. It must not be nil.
	Logger *slog.Logger
}

// Redis is a private Redis server that can be reached only from this machine, with a password. Its data is lost when it
// stops. Its methods must not be called at the same time.
type Redis struct {
	dir      string
	binaries Binaries
	owner    owner
	port     int // 0 if it listens on the socket alone
	password string
	log      io.Writer
}

// NewRedis finds or fetches the binary, finds a user as whom it can run, and chooses the address: a socket in the
// folder, or a port of 127.0.0.1 if the path of the folder is too long for a socket. It does not start the server.
func NewRedis(ctx context.Context, opts RedisOptions) (*Redis, error) {
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, err
	}
	r := &Redis{dir: dir, password: rand.Text(), log: opts.Log}
	if r.log == nil {
		r.log = io.Discard
	}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return nil, err
	}
	if r.binaries, err = opts.Finder.Redis(ctx); err != nil {
		return nil, err
	}
	if r.owner, err = r.findOwner(ctx); err != nil {
		return nil, err
	}
	opts.Logger.DebugContext(ctx, "redis found", "dir", r.binaries.Dir, "as", r.owner.name)
	if len(r.socket()) > socketLimit {
		r.port, err = FreePort(ctx)
	}
	return r, err
}

// findOwner returns the first candidate as whom the binary runs, and makes the folder theirs. For root, root itself is
// the last candidate, after ordinary users, since a Redis that runs as root is better than none.
func (r *Redis) findOwner(ctx context.Context) (owner, error) {
	candidates := append(owners(r.dir, "redis", "nobody"), self())
	found, err := firstOwner(candidates, r.dir, func(o owner) error {
		cmd, release, err := r.command(ctx, o, "--version")
		if err != nil {
			return err
		}
		defer release()
		return cmd.Run()
	})
	if err != nil {
		return owner{}, fmt.Errorf("%s does not start on this machine; set REDIS_URL to a running server:\n%w", redisProgram,
			err)
	}
	return found, nil
}

// command returns a command that runs the server's binary as o. The process inherits the server's folder as descriptor
// 3 and, if the binary was unpacked, the folder of the binary as descriptor 4; see inherited. The caller must call
// release once the command has started; release closes these descriptors in this process.
func (r *Redis) command(ctx context.Context, o owner, args ...string) (cmd *exec.Cmd, release func(), err error) {
	binaries, paths := r.binaries, []string{r.dir}
	if binaries.Root != "" {
		binaries = binaries.through(3 + len(paths))
		paths = append(paths, r.binaries.Root)
	}
	cmd = binaries.Command(ctx, redisProgram, args...)
	cmd.SysProcAttr = o.attributes()
	release = func() {
		for _, file := range cmd.ExtraFiles {
			_ = file.Close()
		}
	}
	for _, path := range paths {
		file, err := os.Open(path) //nolint:gosec // G304: our own folders
		if err != nil {
			release()
			return nil, nil, err
		}
		cmd.ExtraFiles = append(cmd.ExtraFiles, file)
	}
	return cmd, release, nil
}

// Start starts the server, without data, and returns when it answers. The caller must stop the Child. The error
// contains the end of the server's output. Start may be called again when the server has ended, and then uses the same
// address and password. It replaces the socket that a killed server left.
func (r *Redis) Start(ctx context.Context) (*Child, error) {
	cmd, release, err := r.command(ctx, r.owner, "-")
	if err != nil {
		return nil, err
	}
	defer release()
	var last tail
	cmd.Stdin = strings.NewReader(r.settings())
	cmd.Stdout = io.MultiWriter(&last, r.log)
	cmd.Stderr = cmd.Stdout
	child, err := StartChild(cmd, syscall.SIGKILL)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", redisProgram, err)
	}
	if err := r.await(ctx, child); err != nil {
		_ = child.Stop(syscall.SIGKILL, 0)
		return nil, fmt.Errorf("start %s: %w\n%s", redisProgram, err, last.String())
	}
	return child, nil
}

// settings returns the server's settings, which it reads from its standard input so that the password is in no list of
// processes. The memory has a limit, and nothing is evicted when the limit is reached: a command that is refused is
// noticed and repeated, but the loss of an evicted task or counter would not be noticed.
func (r *Redis) settings() string {
	lines := []string{
		"dir " + strconv.Quote(inherited(3, r.dir)), "requirepass " + r.password,
		"port " + strconv.Itoa(r.port), "bind 127.0.0.1", `save ""`, "appendonly no", "databases 1", "maxmemory 512mb",
		"maxmemory-policy noeviction", "loglevel notice", "daemonize no",
	}
	if r.port == 0 {
		lines = append(lines, "unixsocket "+redisSocket, "unixsocketperm 700")
	}
	return strings.Join(lines, "\n") + "\n"
}

// await returns nil once the server has accepted the password. It returns an error if the server ends, ctx ends, or
// redisStart has passed.
func (r *Redis) await(ctx context.Context, child *Child) error {
	ctx, cancel := context.WithTimeout(ctx, redisStart)
	defer cancel()
	for {
		err := r.greet(ctx)
		if err == nil {
			return nil
		}
		if ended(child) {
			return fmt.Errorf("the server ended: %w", child.Err())
		}
		if pause(ctx, redisPoll) != nil {
			return fmt.Errorf("the server was not ready in time: %w", err)
		}
	}
}

// greet connects to the server and logs in once. It writes the protocol itself, since a client library would log each
// attempt that fails before the server listens. ctx must have a deadline.
func (r *Redis) greet(ctx context.Context) error {
	network, address := "unix", r.socket()
	if r.port != 0 {
		network, address = "tcp", r.address()
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return err
	}
	defer conn.Close()
	deadline, _ := ctx.Deadline()
	answer := make([]byte, len(redisWelcome))
	err = errors.Join(conn.SetDeadline(deadline), errOf(fmt.Fprintf(conn, "AUTH %s\r\n", r.password)),
		errOf(io.ReadFull(conn, answer)))
	if err == nil && string(answer) != redisWelcome {
		return fmt.Errorf("it refuses its own password: %q", answer)
	}
	return err
}

func errOf(_ int, err error) error { return err }

func (r *Redis) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(r.port)) }

func (r *Redis) socket() string { return filepath.Join(r.dir, redisSocket) }

// URL returns the server's address with its password, in the form of REDIS_URL. It is the same after each start.
func (r *Redis) URL() string {
	u := url.URL{Scheme: "unix", User: url.UserPassword("", r.password), Path: r.socket()}
	if r.port != 0 {
		u.Scheme, u.Host, u.Path = "redis", r.address(), "/0"
	}
	return u.String()
}
