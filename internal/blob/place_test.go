package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dealflow/internal/blob"
	"dealflow/internal/fault"
)

// place is a store, with functions that look at what it has stored.
type place struct {
	*blob.Store
	t    *testing.T
	keys func() []string
	age  func(key string, by time.Duration)
	add  func(name string) // adds a file as others may; with a slash at its end, a folder as they do
	dir  string            // empty for a bucket
}

// everywhere runs a test on each kind of storage.
func everywhere(t *testing.T, test func(p place)) {
	t.Helper()
	for name, open := range map[string]func(*testing.T) place{"folder": openFolder, "bucket": openBucket} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(open(t))
		})
	}
}

func openFolder(t *testing.T) place {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "not", "there")
	return place{
		Store: open(t, "file://"+dir), t: t, dir: dir,
		keys: func() []string { return filesBelow(t, dir) },
		age: func(key string, by time.Duration) {
			then := time.Now().Add(-by)
			if err := os.Chtimes(filepath.Join(dir, key), then, then); err != nil {
				t.Fatal(err)
			}
		},
		add: func(name string) {
			path := filepath.Join(dir, name)
			err := os.MkdirAll(filepath.Dir(path), 0o700)
			if !strings.HasSuffix(name, "/") {
				err = errors.Join(err, os.WriteFile(path, nil, 0o600))
			}
			if err != nil {
				t.Fatal(err)
			}
		},
	}
}

func openBucket(t *testing.T) place {
	t.Helper()
	server, storageURL := newBucketServer(t)
	return place{Store: open(t, storageURL), t: t, keys: server.keys, age: server.age, add: server.add}
}

func open(t *testing.T, storageURL string) *blob.Store {
	t.Helper()
	store, err := blob.Open(t.Context(), storageURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// filesBelow returns all files, temporary ones and sidecars included, as keys.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var keys []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			keys = append(keys, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func put(t *testing.T, s *blob.Store, key, content string) blob.Written {
	t.Helper()
	written, err := s.Write(t.Context(), key, strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	return written
}

func read(t *testing.T, s *blob.Store, key string) string {
	t.Helper()
	object, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(object)
	if err := errors.Join(err, object.Close()); err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func wantKeys(t *testing.T, p place, want ...string) {
	t.Helper()
	if got := p.keys(); !slices.Equal(got, want) {
		t.Errorf("stored are %q, want %q", got, want)
	}
}

func wantKind(t *testing.T, err error, want fault.Kind) {
	t.Helper()
	if err == nil || fault.KindOf(err) != want {
		t.Errorf("got error %v of kind %d, want kind %d", err, fault.KindOf(err), want)
	}
}

const pdf = "%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj\n%%EOF\n"

func wantExists(t *testing.T, s *blob.Store, key string, want bool) {
	t.Helper()
	got, err := s.Exists(t.Context(), key)
	if err != nil || got != want {
		t.Errorf("exists %s: %v, %v", key, got, err)
	}
}

// zeros is an endless reader of zeros.
type zeros struct{}

// canceler is an empty reader that calls its function when it is read.
type canceler context.CancelFunc

func (c canceler) Read([]byte) (int, error) {
	c()
	return 0, io.EOF
}

func random(size int) string {
	source := rand.NewChaCha8([32]byte{1})
	var b bytes.Buffer
	_, _ = io.CopyN(&b, source, int64(size))
	return b.String()
}
