package jobs

import (
	"errors"
	"time"

	"dealflow/internal/blob"
	"dealflow/internal/pdftext"
	"dealflow/internal/postgres"
)

// releasePause is between attempts to release work while the database is away.
const releasePause = 250 * time.Millisecond

// isOutage reports whether an error says that a server or this machine is out of service, and nothing about the work.
func isOutage(err error) bool {
	return postgres.IsUnreachable(err) || blob.IsUnavailable(err) || errors.Is(err, pdftext.ErrClosed) ||
		errors.Is(err, pdftext.ErrNoChild)
}
