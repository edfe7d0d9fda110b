package blob

import (
	"log/slog"

	"dealflow/internal/outage"
)

// Watch returns the state of the storage: once its Failed was called, it calls Healthy until the storage can be used
// again. The caller must close it before the store.
func (s *Store) Watch(log *slog.Logger) *outage.Server {
	return outage.New(outage.Options{
		Name: "storage", Means: "files are neither taken nor read, the rest goes on", Is: IsUnavailable, Ping: s.Healthy,
		Log: log,
	})
}
