package redisconn

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/redis/go-redis/v9"
)

// LogTo makes go-redis log to logger, at level debug, in the whole process: only main may call it. The level is debug
// since the library repeats itself during an outage, which the users of the connection log once.
func LogTo(logger *slog.Logger) { redis.SetLogger(library{logger}) }

type library struct{ logger *slog.Logger }

// Printf implements the logger of go-redis.
func (l library) Printf(ctx context.Context, format string, args ...any) {
	if l.logger.Enabled(ctx, slog.LevelDebug) {
		l.logger.DebugContext(ctx, "redis client", slog.String("message", fmt.Sprintf(format, args...)))
	}
}
