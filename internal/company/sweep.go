package company

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
)

// SweepUploads removes what uploads left behind longer than age ago: the incoming file, and its copy unless a company has it.
// It gives the number of incoming files removed.
func (a *Analyst) SweepUploads(ctx context.Context, age time.Duration) (int, error) {
	return a.Blobs.Sweep(ctx, incomingPrefix, time.Now().Add(-age), func(ctx context.Context, key string) (bool, error) {
		companyID, fileID, ours := incomingIDs(key)
		if !ours {
			return true, nil // half a file, or a name that we do not give: nothing can refer to it
		}
		var exists bool
		err := a.DB.AsNobody(ctx, func(tx *postgres.Tx) error { return tx.Raw("SELECT app_file_exists(?)", fileID).Scan(&exists).Error })
		if err != nil || exists {
			return err == nil, err
		}
		return true, a.Blobs.Delete(ctx, storedKey(companyID, fileID))
	})
}

// incomingIDs takes an incoming key apart, and tells whether it is one.
func incomingIDs(key string) (companyID, fileID uuid.UUID, ours bool) {
	company, file, _ := strings.Cut(strings.TrimPrefix(key, incomingPrefix), "_")
	companyID, errCompany := uuid.Parse(company)
	fileID, errFile := uuid.Parse(file)
	return companyID, fileID, errCompany == nil && errFile == nil
}
