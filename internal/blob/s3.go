package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7"
	"golang.org/x/sync/errgroup"
)

const (
	s3PartSize = 5 << 20 // the least that S3 allows; S3 needs whole parts in memory
	s3AtOnce   = 8       // the number of requests of one call at the same time
	s3Attempts = 3       // tries of one request
	// How long a server may take to accept a connection, and to answer a request that it has.
	s3DialTimeout   = 3 * time.Second
	s3AnswerTimeout = 10 * time.Second
	s3CopyTimeout   = 2 * time.Minute  // the same for what a server answers only once it has copied a whole file
	s3IdleTimeout   = 90 * time.Second // of a connection that is kept
)

// bucket is a bucket of a server that speaks S3.
type bucket struct {
	client *minio.Client
	name   string
}

// transport sends requests with short time limits, s3DialTimeout and s3AnswerTimeout, so that a request to a storage
// server that does not answer fails before the client of this service stops waiting. Requests for which a server copies
// a whole file have s3CopyTimeout. Only the context limits how long the body of an answer is read.
type transport struct{ quick, copying *http.Transport }

func newTransport() transport {
	return transport{quick: newConnections(s3AnswerTimeout), copying: newConnections(s3CopyTimeout)}
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	joins := r.Method == http.MethodPost && r.URL.Query().Has("uploadId")
	if joins || r.Header.Get("X-Amz-Copy-Source") != "" {
		return t.copying.RoundTrip(r)
	}
	return t.quick.RoundTrip(r)
}

func newConnections(answer time.Duration) *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: s3DialTimeout}).DialContext,
		TLSHandshakeTimeout:   s3AnswerTimeout,
		ResponseHeaderTimeout: answer,
		MaxIdleConnsPerHost:   2 * s3AtOnce,
		IdleConnTimeout:       s3IdleTimeout,
		DisableCompression:    true, // the length of the content must be that of the file
	}
}

func (b bucket) open(ctx context.Context, key string) (*Object, error) {
	object, err := b.client.GetObject(ctx, b.name, key, minio.GetObjectOptions{})
	if err != nil {
		return nil, err
	}
	found, err := object.Stat()
	if err != nil {
		return nil, errors.Join(err, object.Close())
	}
	return &Object{
		ReadSeekCloser: object, Size: found.Size, ModTime: found.LastModified, MediaType: found.ContentType,
	}, nil
}

func (b bucket) written(ctx context.Context, key string) (time.Time, error) {
	found, err := b.client.StatObject(ctx, b.name, key, minio.StatObjectOptions{})
	return found.LastModified, err
}

func (b bucket) list(ctx context.Context, prefix string) iter.Seq2[listed, error] {
	return func(yield func(listed, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel() // ends the listing where the caller stops early
		for object := range b.client.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
			if !yield(listed{key: object.Key, written: object.LastModified}, object.Err) || object.Err != nil {
				return
			}
		}
	}
}

// write sends a file of less than s3PartSize bytes by one request, and a larger one in parts. After an error, a
// canceled ctx included, the client deletes the parts.
func (b bucket) write(ctx context.Context, key, media string, r io.Reader) error {
	var first bytes.Buffer
	size, err := io.Copy(&first, io.LimitReader(r, s3PartSize))
	if err != nil {
		return err
	}
	content := io.Reader(&first)
	if size == s3PartSize {
		content, size = io.MultiReader(&first, r), -1
	}
	_, err = b.client.PutObject(ctx, b.name, key, content, size,
		minio.PutObjectOptions{ContentType: media, PartSize: s3PartSize})
	return err
}

func (b bucket) put(ctx context.Context, contents map[string][]byte) error {
	return putEach(ctx, contents, s3AtOnce, b.putOne)
}

func (b bucket) putOne(ctx context.Context, key string, content []byte) error {
	options := minio.PutObjectOptions{ContentType: mediaType(content[:min(len(content), sniffLen)])}
	_, err := b.client.PutObject(ctx, b.name, key, bytes.NewReader(content), int64(len(content)), options)
	return err
}

// syncNames does nothing: what a bucket has confirmed lasts.
func (b bucket) syncNames([]string) error { return nil }

func (b bucket) keep(ctx context.Context, files []Pair) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(s3AtOnce)
	for _, file := range files {
		group.Go(func() error {
			to := minio.CopyDestOptions{Bucket: b.name, Object: file.To}
			if _, err := b.client.CopyObject(groupCtx, to, minio.CopySrcOptions{Bucket: b.name, Object: file.From}); err != nil {
				return fmt.Errorf("copy %s: %w", file.From, err)
			}
			return nil
		})
	}
	return group.Wait()
}

func (b bucket) remove(ctx context.Context, key string) error {
	return b.client.RemoveObject(ctx, b.name, key, minio.RemoveObjectOptions{})
}

func (b bucket) probe(ctx context.Context) error {
	key := probeKey()
	if err := b.putOne(ctx, key, make([]byte, probeSize)); err != nil {
		return fmt.Errorf("write to the storage: %w", err)
	}
	object, err := b.open(ctx, key)
	if err != nil {
		return fmt.Errorf("read from the storage: %w", err)
	}
	if _, err := io.Copy(io.Discard, object); err != nil {
		return errors.Join(fmt.Errorf("read from the storage: %w", err), object.Close())
	}
	return errors.Join(object.Close(), b.remove(ctx, key))
}

func (b bucket) isGone() bool { return false }

// Close has nothing to release: idle connections end by themselves.
func (b bucket) Close() error { return nil }
