package upload

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Sweep removes files under incoming/ that are older than age plus the time that the slowest form takes. It also
// removes the copy of such a file under companies/ if no row names the copy. If the copy is younger than that, both
// stay. It returns the number of files removed from incoming/. The usual age is retention.AbandonedFiles.
func (s *Store) Sweep(ctx context.Context, age time.Duration) (int, error) {
	before := time.Now().Add(-age - s.slowestForm())
	return s.blobs.Sweep(ctx, incomingPrefix, before, func(ctx context.Context, key string) (bool, error) {
		copied := copyOf(key)
		if copied == "" {
			return true, nil // an incomplete file, or another kind of name: nothing can refer to it
		}
		return s.sweepKept(ctx, copied, before)
	})
}

// slowestForm returns how long the first file of a form may wait until the last one has come, at the lowest rate; 0 if
// no forms arrive.
func (s *Store) slowestForm() time.Duration {
	if s.minBodyRate == 0 {
		return 0
	}
	return time.Duration(MaxFiles*s.maxFileSize/s.minBodyRate) * time.Second
}

// sweepKept removes the copy with this key under companies/ if no row names it. It reports whether the upload that was
// copied, under incoming/, may be removed too: always if there is no copy. If the copy was written at or after the time
// before, sweepKept removes nothing and returns false: a copy may be younger than its upload.
func (s *Store) sweepKept(ctx context.Context, key string, before time.Time) (bool, error) {
	kept, err := s.blobs.Written(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return true, nil
	}
	if err != nil || !kept.Before(before) {
		return false, err
	}
	var named bool
	err = s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT NOT EXISTS (SELECT FROM app_unneeded_files(ARRAY[?]))", key).Scan(&named).Error
	})
	if err != nil {
		return false, err
	}
	if !named {
		err = s.blobs.Delete(ctx, key)
	}
	return err == nil, err
}

// copyOf returns the key under companies/ to which the file with a key under incoming/ is copied: for an upload its
// StoredKey, for a file to be restored its RestoredKey. It returns "" for any other key.
func copyOf(key string) string {
	first, second, _ := strings.Cut(strings.TrimPrefix(key, incomingPrefix), "_")
	fileID, err := uuid.Parse(second)
	if err != nil {
		return ""
	}
	if first+"_" == restoredMark {
		return RestoredKey(fileID)
	}
	companyID, err := uuid.Parse(first)
	if err != nil {
		return ""
	}
	return StoredKey(companyID, fileID)
}
