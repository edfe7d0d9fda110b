package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	cloudblob "gocloud.dev/blob"

	"dealflow/internal/fault"
)

// Move gives the file under from the key to, replacing what stood there: one atomic rename in a folder, a copy and a delete
// in a bucket. A move that an earlier call already made is no error, so that it can be tried again; when neither key
// holds a file, it is a fault of the kind NotFound.
func (s *Store) Move(ctx context.Context, from, to string) error {
	if err := checkKeys(from, to); err != nil {
		return err
	}
	err := s.move(ctx, from, to)
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	found, existsErr := s.Exists(ctx, to)
	if existsErr != nil {
		return existsErr
	}
	if found {
		return nil
	}
	return err
}

func (s *Store) move(ctx context.Context, from, to string) error {
	if s.root != nil {
		return s.rename(from, to)
	}
	if err := s.Copy(ctx, from, to); err != nil {
		return err
	}
	return s.Delete(ctx, from)
}

func (s *Store) rename(from, to string) error {
	dir := path.Dir(to)
	if err := s.root.MkdirAll(dir, dirMode); err != nil {
		return fmt.Errorf("make the folder of %s: %w", to, err)
	}
	err := s.root.Rename(from, to)
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Missing().Because(err)
	}
	if err != nil {
		return fmt.Errorf("move %s to %s: %w", from, to, err)
	}
	return s.syncFolder(dir)
}

// syncFolder makes the new name last through a power cut, as Write does for the content.
func (s *Store) syncFolder(dir string) error {
	f, err := s.root.Open(dir)
	if err != nil {
		return fmt.Errorf("open the folder %s: %w", dir, err)
	}
	return errors.Join(f.Sync(), f.Close())
}

// Copy stores what is under from a second time under to. A missing from is a fault of the kind NotFound.
func (s *Store) Copy(ctx context.Context, from, to string) error {
	if err := checkKeys(from, to); err != nil {
		return err
	}
	var file *os.File
	if err := s.bucket.Copy(ctx, to, from, &cloudblob.CopyOptions{BeforeCopy: protect(&file)}); err != nil {
		return missing(fmt.Errorf("copy: %w", err))
	}
	return nil
}

// Delete removes what is under the keys; where there is nothing, there is nothing to do. It tries every key before it
// returns the errors of those that failed, joined.
func (s *Store) Delete(ctx context.Context, keys ...string) error {
	if err := checkKeys(keys...); err != nil {
		return err
	}
	var errs []error
	for _, key := range keys {
		if err := s.bucket.Delete(ctx, key); err != nil && !isMissing(err) {
			errs = append(errs, fmt.Errorf("delete %s: %w", key, err))
		}
	}
	return errors.Join(errs...)
}

// Sweep deletes the files below prefix, a key with a slash at its end, that were last written before the given time and for
// which unwanted says true; with a nil unwanted, all of those. It returns how many it deleted, and stops at the first error.
// Half files of a killed process are among them, since they lie beside the whole ones.
func (s *Store) Sweep(
	ctx context.Context, prefix string, before time.Time, unwanted func(ctx context.Context, key string) (bool, error),
) (int, error) {
	if err := checkKey(strings.TrimSuffix(prefix, "/")); err != nil || !strings.HasSuffix(prefix, "/") {
		return 0, fmt.Errorf("%.80q is no prefix to sweep: use a key with a slash at its end", prefix)
	}
	deleted := 0
	for list := s.bucket.List(&cloudblob.ListOptions{Prefix: prefix}); ; {
		object, err := list.Next(ctx)
		if errors.Is(err, io.EOF) {
			return deleted, nil
		}
		if err != nil {
			return deleted, fmt.Errorf("list %s: %w", prefix, err)
		}
		if !object.ModTime.Before(before) {
			continue
		}
		gone, err := s.sweepOne(ctx, object.Key, unwanted)
		if err != nil {
			return deleted, err
		}
		deleted += gone
	}
}

func (s *Store) sweepOne(ctx context.Context, key string, unwanted func(context.Context, string) (bool, error)) (int, error) {
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
