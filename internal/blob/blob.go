// Package blob keeps files by key, in one folder or in an S3 bucket, and signs the URLs under which clients download them.
// It knows keys and bytes, no owner: who may read a file is decided before its key or its URL is handed out.
package blob

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	cloudblob "gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/blob/s3blob"
)

// dirMode and fileMode keep what clients uploaded from every other user of the machine.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Store is one place of storage. It is safe for concurrent use, also by several processes on the same place.
type Store struct {
	bucket *cloudblob.Bucket
	root   *os.Root // the folder of a file:// store, nil for a bucket: only a folder can rename
}

// Open opens the storage that storageURL names, and proves that it can be read: "file:///folder", made with mode 0700 where
// it is missing, or "s3://bucket?region=…" with the query parameters of gocloud.dev/blob/s3blob and the usual AWS
// environment. It fails on any other URL, on a folder that cannot be written, and on a bucket that cannot be listed.
func Open(ctx context.Context, storageURL string) (*Store, error) {
	u, err := url.Parse(storageURL)
	if err != nil {
		return nil, fmt.Errorf("storage URL: %w", err)
	}
	switch u.Scheme {
	case fileblob.Scheme:
		return openFolder(u)
	case s3blob.Scheme:
		return openBucket(ctx, u)
	default:
		return nil, fmt.Errorf("storage URL has the scheme %q: use file:///folder or s3://bucket?region=", u.Scheme)
	}
}

func openFolder(u *url.URL) (*Store, error) {
	if u.Host != "" || u.RawQuery != "" || !filepath.IsAbs(u.Path) {
		return nil, errors.New("storage URL: write a folder as file:///absolute/path, with three slashes and no query")
	}
	if err := os.MkdirAll(u.Path, dirMode); err != nil { //nolint:gosec // G703: the path is the operator's setting
		return nil, fmt.Errorf("make the storage folder: %w", err)
	}
	root, err := os.OpenRoot(u.Path)
	if err != nil {
		return nil, fmt.Errorf("open the storage folder: %w", err)
	}
	if err := probe(root); err != nil {
		err = fmt.Errorf("storage folder cannot be written, give it to this user or set another one: %w", err)
		return nil, errors.Join(err, root.Close())
	}
	// Temporary files beside the final ones keep the rename on one file system, and so atomic. Sidecar files would hold
	// the media type only, which Open finds in the content.
	bucket, err := fileblob.OpenBucket(u.Path, &fileblob.Options{
		NoTempDir: true, DirFileMode: dirMode, Metadata: fileblob.MetadataDontWrite,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the storage folder: %w", err), root.Close())
	}
	return &Store{bucket: bucket, root: root}, nil
}

// probe writes and removes a file, since a mode says little where user ids are mapped or the mount is read-only.
func probe(root *os.Root) error {
	name := "probe." + rand.Text() + ".tmp"
	if err := root.WriteFile(name, nil, fileMode); err != nil {
		return err
	}
	return root.Remove(name)
}

func openBucket(ctx context.Context, u *url.URL) (*Store, error) {
	bucket, err := new(s3blob.URLOpener).OpenBucketURL(ctx, u)
	if err != nil {
		return nil, fmt.Errorf("storage URL: %w", err)
	}
	if _, _, err := bucket.ListPage(ctx, cloudblob.FirstPageToken, 1, nil); err != nil {
		err = fmt.Errorf("storage bucket %q cannot be listed, check its name, region, endpoint and credentials: %w", u.Host, err)
		return nil, errors.Join(err, bucket.Close())
	}
	return &Store{bucket: bucket}, nil
}

// Close gives back what the store holds open. It does not wait for readers and writers.
func (s *Store) Close() error {
	if s.root == nil {
		return s.bucket.Close()
	}
	return errors.Join(s.bucket.Close(), s.root.Close())
}
