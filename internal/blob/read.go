package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"dealflow/internal/fault"
)

// Object is an open file, fit for http.ServeContent. The caller of Open must close it. IsUnavailable reports true for
// errors of the storage while it is read.
type Object struct {
	io.ReadSeekCloser
	Size      int64 // bytes
	ModTime   time.Time
	MediaType string // found in the content, as in Written
}

// Open opens the file under key for reading and seeking, until ctx ends. A missing file is a fault of the kind
// NotFound; IsUnavailable reports true for the error of a storage that cannot be read now.
func (s *Store) Open(ctx context.Context, key string) (*Object, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	object, err := s.backend.open(ctx, key)
	if err != nil {
		return nil, s.troubleOf(ctx, fmt.Errorf("open %s: %w", key, err))
	}
	object.ReadSeekCloser = content{ReadSeekCloser: object.ReadSeekCloser, ctx: ctx}
	return object, nil
}

// content is an opened file. An error of reading it is a fault of the kind Unavailable, except the end of the file and
// the end of ctx.
type content struct {
	io.ReadSeekCloser

	ctx context.Context // of Open
}

// Read implements io.Reader.
func (c content) Read(p []byte) (int, error) {
	n, err := c.ReadSeekCloser.Read(p)
	if ended := c.ctx.Err(); ended != nil {
		return n, ended
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = trouble(c.ctx, err)
	}
	return n, err
}

// Exists reports whether there is a file under key. A missing file is no error, but an invalid key is one, and so is a
// storage that cannot be read now, for which IsUnavailable reports true.
func (s *Store) Exists(ctx context.Context, key string) (bool, error) {
	_, err := s.Written(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// Written returns when the file under key was last written or kept. A missing one is a fault of the kind NotFound;
// IsUnavailable reports true for the error of a storage that cannot be read now.
func (s *Store) Written(ctx context.Context, key string) (time.Time, error) {
	if err := checkKey(key); err != nil {
		return time.Time{}, err
	}
	at, err := s.backend.written(ctx, key)
	if err != nil {
		return time.Time{}, s.troubleOf(ctx, fmt.Errorf("look for %s: %w", key, err))
	}
	return at, nil
}
