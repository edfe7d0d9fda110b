package jobs

import (
	"errors"

	"dealflow/internal/blob"
	"dealflow/internal/pdftext"
	"dealflow/internal/postgres"
)

// isOutage reports whether err means that the database, the storage of files or the reading of PDFs is out of service,
// and not that the work itself failed. It is false for nil.
func isOutage(err error) bool {
	return postgres.IsUnreachable(err) || blob.IsUnavailable(err) || errors.Is(err, pdftext.ErrClosed) ||
		errors.Is(err, pdftext.ErrNoChild)
}
