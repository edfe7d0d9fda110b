// Package blob keeps files by key, in one folder or in an S3 bucket, and signs the URLs under which clients download
// them. It knows keys and bytes, no owner: who may read a file is decided before its key or its URL is handed out.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	cloudblob "gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/blob/s3blob"
)

// dirMode and fileMode keep what clients uploaded from every other user of the machine.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// How long an S3 server may take to accept a connection, and to answer a request that it has. Requests are tried three
// times.
const (
	s3DialTimeout   = 3 * time.Second
	s3AnswerTimeout = 10 * time.Second
)

// Store is one place of storage. It is safe for concurrent use, also by several processes on the same place.
type Store struct {
	bucket *cloudblob.Bucket
	folder folder // its Root is nil for a bucket; the bucket of a folder only reads, lists and deletes
	health health
}

func (s *Store) isFolder() bool { return s.folder.Root != nil }

// Open opens the storage that storageURL names, and proves that it can be read: "file:///folder", made with mode 0700
// where it is missing, or "s3://bucket?region=…" with the query parameters of gocloud.dev/blob/s3blob and the usual AWS
// environment. It fails on any other URL, on a folder that cannot be written, and on a bucket that cannot be listed. A
// disk that is full or broken and a server that is away are no failure: the store serves once they are well, and Probe
// says so meanwhile.
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
	if err := makeLasting(u.Path); err != nil {
		return nil, fmt.Errorf("make the storage folder: %w", err)
	}
	root, err := os.OpenRoot(u.Path)
	if err != nil {
		return nil, fmt.Errorf("open the storage folder: %w", err)
	}
	s := &Store{folder: folder{Root: root, fsync: (*os.File).Sync}}
	if err := s.folder.probe(); err != nil && !isPassing(err) {
		err = fmt.Errorf("storage folder cannot be written, give it to this user or set another one: %w", err)
		return nil, errors.Join(err, root.Close())
	}
	// Sidecar files would hold the media type only, which Open finds in the content.
	s.bucket, err = fileblob.OpenBucket(u.Path, &fileblob.Options{Metadata: fileblob.MetadataDontWrite})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the storage folder: %w", err), root.Close())
	}
	return s, nil
}

// makeLasting makes a folder with those above it, such that they last through a power cut.
func makeLasting(dir string) error {
	if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) { //nolint:gosec // G703: the operator's folder
		return err
	}
	above := filepath.Dir(dir)
	if err := makeLasting(above); err != nil {
		return err
	}
	if err := os.Mkdir(dir, dirMode); err != nil && !errors.Is(err, fs.ErrExist) { //nolint:gosec // G703: the path is the operator's setting
		return err
	}
	opened, err := os.Open(above) //nolint:gosec // G304: as above
	if err != nil {
		return err
	}
	return errors.Join(opened.Sync(), opened.Close())
}

// openBucket returns a server that has gone seconds to answer, not minutes: who waits for it can be told.
func openBucket(ctx context.Context, u *url.URL) (*Store, error) {
	opener := new(s3blob.URLOpener)
	found, err := opener.OpenBucketURL(ctx, u)
	if err != nil {
		return nil, fmt.Errorf("storage URL: %w", err)
	}
	var client *s3.Client
	if !found.As(&client) {
		return nil, errors.Join(errors.New("storage URL: its bucket has no S3 client"), found.Close())
	}
	client = s3.New(client.Options(), func(o *s3.Options) {
		o.HTTPClient = awshttp.NewBuildableClient().
			WithDialerOptions(func(d *net.Dialer) { d.Timeout = s3DialTimeout }).
			WithTransportOptions(func(t *http.Transport) { t.ResponseHeaderTimeout = s3AnswerTimeout })
	})
	bucket, err := s3blob.OpenBucket(ctx, client, u.Host, &opener.Options)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("storage URL: %w", err), found.Close())
	}
	if _, _, err := bucket.ListPage(ctx, cloudblob.FirstPageToken, 1, nil); err != nil && !isPassing(err) {
		err = fmt.Errorf("storage bucket %q cannot be listed, check its name, region, endpoint and credentials: %w", u.Host, err)
		return nil, errors.Join(err, bucket.Close())
	}
	return &Store{bucket: bucket}, nil
}

// Close gives back what the store holds open. It does not wait for readers and writers.
func (s *Store) Close() error {
	if !s.isFolder() {
		return s.bucket.Close()
	}
	return errors.Join(s.bucket.Close(), s.folder.Close())
}
