package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gabriel-vasile/mimetype"
	"golang.org/x/sync/errgroup"

	"dealflow/internal/fault"
)

const (
	sniffLen   = 4096     // the number of bytes at the beginning at which mimetype looks
	copyBuffer = 64 << 10 // bytes in memory for one file on its way to a folder
)

// Written describes the file that Write stored.
type Written struct {
	Size      int64  // bytes
	SHA256    string // of the content, 64 lower-case hexadecimal digits
	MediaType string // found in the content, without parameters, such as "application/pdf"
}

// Write stores what r returns under key, replacing an earlier file. It reads r to its end, or until more than limit
// bytes have come, in memory that does not grow with the size. In a folder the file lasts through a power cut only once
// Keep was called for it. More than limit bytes are a fault of the kind TooLarge; IsUnavailable reports true for the
// error of a storage that cannot store them. After any error, also of a canceled ctx or of r, nothing new is kept. An
// error of r can be found with errors.Is.
func (s *Store) Write(ctx context.Context, key string, r io.Reader, limit int64) (Written, error) {
	if err := checkKey(key); err != nil {
		return Written{}, err
	}
	src := &meter{ctx: ctx, r: r, left: limit, hash: sha256.New()}
	head := make([]byte, sniffLen)
	n, err := io.ReadFull(src, head)
	if src.err != nil {
		return Written{}, fmt.Errorf("read what to store: %w", src.err)
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return Written{}, err
	}
	media := mediaType(head[:n])
	err = s.backend.write(ctx, key, media, io.MultiReader(bytes.NewReader(head[:n]), src))
	switch {
	case src.err != nil:
		return Written{}, fmt.Errorf("read what to store: %w", src.err)
	case err != nil:
		return Written{}, trouble(ctx, fmt.Errorf("store %s: %w", key, err))
	}
	return Written{Size: limit - src.left, SHA256: hex.EncodeToString(src.hash.Sum(nil)), MediaType: media}, nil
}

// Put stores content that is in memory under key, replacing an earlier file. Once it returns, the file lasts through a
// power cut. IsUnavailable reports true for the error of a storage that cannot store it.
func (s *Store) Put(ctx context.Context, key string, content []byte) error {
	if err := s.putAll(ctx, map[string][]byte{key: content}); err != nil {
		return err
	}
	return trouble(ctx, s.backend.syncNames([]string{key}))
}

// PutOnce stores each content under its key, unless the key has a file already; it does not compare the contents, since
// it is for keys that are derived from the content. Once it returns, all of the files last through a power cut, also
// those that another writer is storing at the same time. IsUnavailable reports true for the error of a storage that
// cannot take them; some of the files may be stored then.
func (s *Store) PutOnce(ctx context.Context, contents map[string][]byte) error {
	absent, err := s.absent(ctx, contents)
	if err != nil {
		return err
	}
	if err := s.putAll(ctx, absent); err != nil {
		return err
	}
	// Another writer syncs a file before it renames it to its key, but may not have synced its name yet.
	return trouble(ctx, s.backend.syncNames(slices.Collect(maps.Keys(contents))))
}

// absent returns, by key, the contents whose keys have no file yet. It asks a bucket for several keys at once, since
// each answer takes a round trip.
func (s *Store) absent(ctx context.Context, contents map[string][]byte) (map[string][]byte, error) {
	var mu sync.Mutex
	found := map[string][]byte{}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(s3AtOnce)
	for key, content := range contents {
		group.Go(func() error {
			there, err := s.Exists(groupCtx, key)
			if err == nil && !there {
				mu.Lock()
				defer mu.Unlock()
				found[key] = content
			}
			return err
		})
	}
	return found, group.Wait()
}

func (s *Store) putAll(ctx context.Context, contents map[string][]byte) error {
	if err := checkKeys(slices.Sorted(maps.Keys(contents))...); err != nil {
		return err
	}
	return trouble(ctx, s.backend.put(ctx, contents))
}

// putEach stores each content by put, at most limit of them at once. It returns the first error; ctx of the calls of
// put ends then, and some contents may be stored.
func putEach(
	ctx context.Context, contents map[string][]byte, limit int, put func(ctx context.Context, key string,
		content []byte) error,
) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(limit)
	for key, content := range contents {
		group.Go(func() error {
			if err := put(groupCtx, key, content); err != nil {
				return fmt.Errorf("store %s: %w", key, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// mediaType returns the media type of the content that begins with head, without parameters: a charset guessed from the
// beginning may be wrong for the rest.
func mediaType(head []byte) string {
	media, _, _ := strings.Cut(mimetype.Detect(head).String(), ";")
	return media
}

// meter counts and hashes what is read through it. It fails once more than limit bytes are read, or ctx has ended. It
// keeps that error and those of r, so that they are not taken for errors of the storage.
type meter struct {
	ctx  context.Context // a Reader has no other way to learn of its end
	r    io.Reader
	left int64
	hash hash.Hash
	err  error
}

// Read implements io.Reader. It reads one byte more than is left, to distinguish a full file from one over the limit,
// for which the error is TooLarge.
func (m *meter) Read(p []byte) (int, error) {
	if m.err = m.ctx.Err(); m.err != nil {
		return 0, m.err
	}
	if int64(len(p)) > m.left {
		p = p[:m.left+1]
	}
	n, err := m.r.Read(p)
	if m.left -= int64(n); m.left < 0 {
		m.err = fault.New(fault.TooLarge, "file_too_large")
		return 0, m.err
	}
	m.hash.Write(p[:n])
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = err
	}
	return n, err
}
