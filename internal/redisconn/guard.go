package redisconn

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"dealflow/internal/outage"
)

// Unreachable is the error of a command that got no answer, because Redis does not answer or cannot serve yet. Cause
// must not be nil.
type Unreachable struct{ Cause error }

const unreachableText = "Redis does not answer: "

// Error implements error.
func (u *Unreachable) Error() string { return unreachableText + u.Cause.Error() }

// Unwrap returns the cause.
func (u *Unreachable) Unwrap() error { return u.Cause }

// errAway is the Cause of an Unreachable for a command that was not sent, since Redis is known not to answer.
var errAway = errors.New("it did not a moment ago")

// IsUnreachable reports whether err is, or wraps, an *Unreachable: whether Redis did not answer.
func IsUnreachable(err error) bool {
	_, found := errors.AsType[*Unreachable](err)
	return found
}

// Complaint returns an error for text, which a library logged in place of an error. If text contains the message of an
// Unreachable, IsUnreachable is true for the returned error.
func Complaint(text string) error {
	if strings.Contains(text, unreachableText) {
		return &Unreachable{Cause: errors.New(text)}
	}
	return errors.New(text)
}

// Watch returns the state of the Redis to which client connects, and calls Guard with client and this state. It must be
// called before client is used. The caller must close the state, before the client.
func Watch(client redis.UniversalClient, log *slog.Logger) *outage.Server {
	server := outage.New(outage.Options{
		Name:  "Redis",
		Means: "rate limits hold in each process alone, analyses wait in their rows until the sweep finds them",
		Is:    IsUnreachable, Ping: func(ctx context.Context) error { return client.Ping(ctx).Err() }, Log: log,
	})
	Guard(client, server)
	return server
}

// Guard makes commands of client fail at once with an *Unreachable while server knows that Redis does not answer. It
// also calls server.Failed for each command that got no answer. PING and the commands that begin a connection are
// always sent. It must be called before client is used.
func Guard(client redis.UniversalClient, server *outage.Server) { client.AddHook(guard{server}) }

type guard struct{ server *outage.Server }

// DialHook implements redis.Hook.
func (g guard) DialHook(next redis.DialHook) redis.DialHook { return next }

// asksAnyway reports whether a command is sent even while the server is known not to answer: PING, which finds out
// whether it answers again, and the commands with which a new connection begins.
func asksAnyway(cmd redis.Cmder) bool {
	switch cmd.Name() {
	case "ping", "hello", "auth", "select", "client", "readonly":
		return true
	}
	return false
}

// ProcessHook implements redis.Hook.
func (g guard) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if g.server.Away() && !asksAnyway(cmd) {
			err := &Unreachable{Cause: errAway}
			cmd.SetErr(err)
			return err
		}
		err := g.judge(next(ctx, cmd))
		if err != nil {
			cmd.SetErr(err)
		}
		return err
	}
}

// ProcessPipelineHook implements redis.Hook.
func (g guard) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if g.server.Away() && (len(cmds) == 0 || !asksAnyway(cmds[0])) {
			err := &Unreachable{Cause: errAway}
			for _, cmd := range cmds {
				cmd.SetErr(err)
			}
			return err
		}
		return g.judge(next(ctx, cmds))
	}
}

// judge returns an *Unreachable for an error that means that Redis did not answer, and reports the error to g.server.
// It returns nil, and any other error, such as a refusal of Redis, unchanged.
func (g guard) judge(err error) error {
	if err == nil || !isNoAnswer(err) {
		return err
	}
	g.server.Failed(err)
	return &Unreachable{Cause: err}
}

func isNoAnswer(err error) bool {
	if reply, found := errors.AsType[redis.Error](err); found {
		return slices.ContainsFunc([]string{"LOADING ", "MASTERDOWN ", "CLUSTERDOWN "}, func(prefix string) bool {
			return strings.HasPrefix(reply.Error(), prefix)
		})
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, redis.ErrClosed) {
		return false
	}
	_, network := errors.AsType[net.Error](err)
	return network || errors.Is(err, context.DeadlineExceeded) || isBroken(err)
}

// isBroken reports whether the connection was closed before the whole answer had come, or no connection of the pool
// became free in time.
func isBroken(err error) bool {
	return strings.HasSuffix(err.Error(), "EOF") || errors.Is(err, redis.ErrPoolTimeout)
}
