package jobs

import (
	"errors"

	"dealflow/internal/blob"
	"dealflow/internal/pdftext"
	"dealflow/internal/postgres"
)

// isOutage reports whether an error means that the database, the storage of files or the reading of PDFs is out of
// service, and not that the work itself failed.
func isOutage(err error) bool {
	return postgres.IsUnreachable(err) || blob.IsUnavailable(err) || errors.Is(err, pdftext.ErrClosed) ||
		errors.Is(err, pdftext.ErrNoChild)
}
