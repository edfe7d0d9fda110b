// Package blob keeps files by key, in one folder or in an S3 bucket, and signs the URLs under which clients download
// them. It knows keys and bytes, no owner: who may read a file is decided before its key or its URL is handed out.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// dirMode and fileMode let no other user of the machine read what clients uploaded.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Store is a folder or a bucket of files. It is safe for concurrent use, also by several processes on the same one.
type Store struct {
	backend backend
	health  health
}

// backend is a folder or a bucket, with what the methods of Store need. Store checks keys before it calls a method, and
// classifies the errors: that of a missing file must be one that isMissing recognizes.
type backend interface {
	open(ctx context.Context, key string) (*Object, error)
	written(ctx context.Context, key string) (time.Time, error)
	list(ctx context.Context, prefix string) iter.Seq2[listed, error]
	write(ctx context.Context, key, media string, r io.Reader) error
	put(ctx context.Context, contents map[string][]byte) error
	// syncNames returns once the names of the keys, and of the folders above them, survive a power failure.
	syncNames(keys []string) error
	keep(ctx context.Context, files []Pair) error
	remove(ctx context.Context, key string) error // a missing file may be an error, which isMissing recognizes
	probe(ctx context.Context) error
	isGone() bool // reports whether all of it has gone, as a folder that is not mounted any more
	Close() error
}

// listed is a file in a list, with the time at which it was last written.
type listed struct {
	key     string // may be no key of Store, since others may have written the file
	written time.Time
}

// Open opens the storage that storageURL names, and checks that it can be used: "file:///folder", made with mode 0700
// if it is missing, or "s3://bucket?region=…" with the parameters of openBucket and the usual AWS environment. It fails
// on any other URL, on a folder that cannot be made or written, and on a bucket that cannot be listed. A full or broken
// disk under a folder that exists and a server that does not answer are not errors: Probe returns one until the storage
// can be used. The caller must close the store.
func Open(ctx context.Context, storageURL string) (*Store, error) {
	u, err := url.Parse(storageURL)
	if err != nil {
		return nil, fmt.Errorf("storage URL: %w", err)
	}
	switch u.Scheme {
	case "file":
		return openFolder(u)
	case "s3":
		return openBucket(ctx, u)
	default:
		return nil, fmt.Errorf("storage URL has the scheme %q: use file:///folder or s3://bucket?region=", u.Scheme)
	}
}

func openFolder(u *url.URL) (*Store, error) {
	if u.Host != "" || u.RawQuery != "" || !filepath.IsAbs(u.Path) {
		return nil, errors.New("storage URL: write a folder as file:///absolute/path, with three slashes and no query")
	}
	if err := makeLasting(u.Path); err != nil {
		return nil, fmt.Errorf("make the storage folder: %w", err)
	}
	root, err := os.OpenRoot(u.Path)
	if err != nil {
		return nil, fmt.Errorf("open the storage folder: %w", err)
	}
	f := &folder{Root: root, fsync: (*os.File).Sync, rename: root.Rename}
	if err := f.probe(context.Background()); err != nil && !isTemporary(err) {
		err = fmt.Errorf("storage folder cannot be written, give it to this user or set another one: %w", err)
		return nil, errors.Join(err, root.Close())
	}
	return &Store{backend: f}, nil
}

// makeLasting creates a folder and those above it that are missing, so that they last through a power cut.
func makeLasting(dir string) error {
	if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) { //nolint:gosec // G703: the operator's folder
		return err
	}
	above := filepath.Dir(dir)
	if err := makeLasting(above); err != nil {
		return err
	}
	//nolint:gosec // G703: the path is the operator's setting
	if err := os.Mkdir(dir, dirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	opened, err := os.Open(above) //nolint:gosec // G304: as above
	if err != nil {
		return err
	}
	return errors.Join(opened.Sync(), opened.Close())
}

// Close releases what the store holds open. It does not wait for readers and writers.
func (s *Store) Close() error { return s.backend.Close() }
