package upload

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// AbandonedAge is the age from which on what nobody refers to is swept: longer than any transaction takes, so that what
// is being committed is not taken for left behind.
const AbandonedAge = time.Hour

// Sweep removes what uploads left behind longer than age ago, AbandonedAge as a rule: what is under incoming/, and
// where it stays unless a row names it. It returns the number of incoming files removed.
func (s *Store) Sweep(ctx context.Context, age time.Duration) (int, error) {
	before := time.Now().Add(-age)
	return s.blobs.Sweep(ctx, incomingPrefix, before, func(ctx context.Context, key string) (bool, error) {
		companyID, fileID, ours := incomingIDs(key)
		if !ours {
			return true, nil // half a file, or a name of another kind: nothing can refer to it
		}
		return s.sweepKept(ctx, StoredKey(companyID, fileID), fileID, before)
	})
}

// sweepKept removes a kept file that no row names, and reports whether its original may go. One that was kept lately is
// left alone: a bucket's copy is younger than what it was made of.
func (s *Store) sweepKept(ctx context.Context, key string, fileID uuid.UUID, before time.Time) (bool, error) {
	kept, err := s.blobs.Written(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return true, nil
	}
	if err != nil || !kept.Before(before) {
		return false, err
	}
	var named bool
	err = s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_file_exists(?)", fileID).Scan(&named).Error
	})
	if err != nil {
		return false, err
	}
	if !named {
		err = s.blobs.Delete(ctx, key)
	}
	return err == nil, err
}

// incomingIDs takes an incoming key apart, and reports whether it is one.
func incomingIDs(key string) (companyID, fileID uuid.UUID, ours bool) {
	company, file, _ := strings.Cut(strings.TrimPrefix(key, incomingPrefix), "_")
	companyID, errCompany := uuid.Parse(company)
	fileID, errFile := uuid.Parse(file)
	return companyID, fileID, errCompany == nil && errFile == nil
}
