package blob

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Pair is a file that Write stored under From and that is to stay under To.
type Pair struct{ From, To string }

// Keep stores each file under its To as well. Once it returns, the files last through a power cut under both keys. To
// counts as newly written for Sweep, unless there was a file under To before, which may stay as it is. The caller must
// delete From once To is certain to stay, or leave From to a Sweep of its prefix, whose function unwanted can then
// delete To as well. A missing From is a fault of the kind NotFound; after that or another error some of the files may
// be under To.
func (s *Store) Keep(ctx context.Context, files ...Pair) error {
	for _, file := range files {
		if err := checkKeys(file.From, file.To); err != nil {
			return err
		}
	}
	if len(files) == 0 {
		return nil
	}
	return s.troubleOf(ctx, s.backend.keep(ctx, files))
}

// Delete deletes the files under the keys; a key without a file is not an error. If one of the keys is invalid, it
// deletes nothing. Otherwise it tries every key, and then returns the errors of those that failed, joined;
// IsUnavailable reports true for them unless ctx has ended.
func (s *Store) Delete(ctx context.Context, keys ...string) error {
	if err := checkKeys(keys...); err != nil {
		return err
	}
	var errs []error
	for _, key := range keys {
		if err := s.backend.remove(ctx, key); err != nil && !isMissing(err) {
			errs = append(errs, fmt.Errorf("delete %s: %w", key, err))
		}
	}
	return trouble(ctx, errors.Join(errs...))
}

// Sweep deletes the files below prefix, a key with a slash at its end, that were last written before the given time and
// for which unwanted returns true; a nil unwanted counts as one that always returns true. Temporary files that a killed
// process left are among these files. Sweep skips files whose names are not keys, such as the marker that a console
// makes for a folder. It returns how many files it deleted, and stops at the first error, which may be one of unwanted.
func (s *Store) Sweep(
	ctx context.Context, prefix string, before time.Time, unwanted func(ctx context.Context, key string) (bool, error),
) (int, error) {
	if err := checkKey(strings.TrimSuffix(prefix, "/")); err != nil || !strings.HasSuffix(prefix, "/") {
		return 0, fmt.Errorf("%.80q is no prefix to sweep: use a key with a slash at its end", prefix)
	}
	deleted := 0
	for file, err := range s.backend.list(ctx, prefix) {
		if err != nil {
			return deleted, trouble(ctx, fmt.Errorf("list %s: %w", prefix, err))
		}
		if checkKey(file.key) != nil || !file.written.Before(before) {
			continue
		}
		gone, err := s.sweepOne(ctx, file.key, unwanted)
		if err != nil {
			return deleted, err
		}
		deleted += gone
	}
	return deleted, nil
}

func (s *Store) sweepOne(
	ctx context.Context, key string, unwanted func(context.Context, string) (bool, error),
) (int, error) {
	if unwanted != nil {
		yes, err := unwanted(ctx, key)
		if err != nil || !yes {
			return 0, err
		}
	}
	if err := s.Delete(ctx, key); err != nil {
		return 0, err
	}
	return 1, nil
}
