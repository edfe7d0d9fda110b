package blob

import (
	"context"
	"fmt"
	"io"
	"time"

	"gocloud.dev/gcerrors"

	"dealflow/internal/fault"
)

// Object is an open file, fit for http.ServeContent. Who opened it closes it.
type Object struct {
	io.ReadSeekCloser
	Size      int64 // bytes
	ModTime   time.Time
	MediaType string // found in the content, as in Written
}

// Open opens the file under key for reading and seeking, until ctx ends. A missing one is a fault of the kind NotFound.
func (s *Store) Open(ctx context.Context, key string) (*Object, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	r, err := s.bucket.NewReader(ctx, key, nil)
	if err != nil {
		return nil, missing(fmt.Errorf("open %s: %w", key, err))
	}
	media := r.ContentType()
	if s.root != nil { // a folder keeps no media type
		media, err = sniff(r)
	}
	if err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("read the beginning of %s: %w", key, err)
	}
	return &Object{ReadSeekCloser: r, Size: r.Size(), ModTime: r.ModTime(), MediaType: media}, nil
}

func sniff(r io.ReadSeeker) (string, error) {
	head, err := io.ReadAll(io.LimitReader(r, sniffLen))
	if err != nil {
		return "", err
	}
	_, err = r.Seek(0, io.SeekStart)
	return mediaType(head), err
}

// Exists tells whether there is a file under key.
func (s *Store) Exists(ctx context.Context, key string) (bool, error) {
	if err := checkKey(key); err != nil {
		return false, err
	}
	found, err := s.bucket.Exists(ctx, key)
	if err != nil {
		return false, fmt.Errorf("look for %s: %w", key, err)
	}
	return found, nil
}

// missing makes a fault of the kind NotFound of a storage error that says so, and leaves every other error as it is.
func missing(err error) error {
	if isMissing(err) {
		return fault.Missing().Because(err)
	}
	return err
}

func isMissing(err error) bool { return gcerrors.Code(err) == gcerrors.NotFound }
