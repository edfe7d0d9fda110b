package redisconn

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/redis/go-redis/v9"
)

// LogTo sends what the client library has to say to logger, at level debug: it repeats itself during an outage, which
// those who use the connection log once. It holds for the whole process, so only main calls it.
func LogTo(logger *slog.Logger) { redis.SetLogger(library{logger}) }

type library struct{ logger *slog.Logger }

// Printf is what go-redis asks of a logger.
func (l library) Printf(ctx context.Context, format string, args ...any) {
	if l.logger.Enabled(ctx, slog.LevelDebug) {
		l.logger.DebugContext(ctx, "redis client", slog.String("message", fmt.Sprintf(format, args...)))
	}
}
