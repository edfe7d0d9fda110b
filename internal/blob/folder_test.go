package blob_test

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dealflow/internal/blob"
	"dealflow/internal/fault"
)

func TestOnlyOurUserReadsTheFolder(t *testing.T) {
	t.Parallel()
	p := openFolder(t)
	put(t, p.Store, "incoming/a", pdf)
	if err := p.Keep(t.Context(), blob.Pair{From: "incoming/a", To: "deals/1/a"}); err != nil {
		t.Fatal(err)
	}
	if err := p.Put(t.Context(), "copies/a", nil); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[d.IsDir()]; err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestHalfFile looks at the folder while a file arrives. The part that is there must be private, under a temporary name
// below incoming/ whatever its key is, not readable by the key, and swept if the writer never comes back.
func TestHalfFile(t *testing.T) {
	t.Parallel()
	p := openFolder(t)
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := p.Write(t.Context(), "emails/1/a", r, 1<<20)
		done <- err
	}()
	if _, err := w.Write(make([]byte, 100<<10)); err != nil {
		t.Fatal(err)
	}
	half := p.keys()
	if len(half) != 1 || !strings.HasPrefix(half[0], "incoming/a.") || !strings.HasSuffix(half[0], ".tmp") {
		t.Fatalf("in the folder are %q", half)
	}
	if info, err := os.Stat(filepath.Join(p.dir, half[0])); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("half file: %v, %v", info.Mode(), err)
	}
	_, err := p.Open(t.Context(), "emails/1/a")
	wantKind(t, err, fault.NotFound)
	if n, err := p.Sweep(t.Context(), "incoming/", time.Now().Add(-time.Hour), nil); n != 0 || err != nil {
		t.Errorf("a fresh half was swept: %d, %v", n, err)
	}
	swept := 0
	// the last bytes of the pipe may still be written, which makes the file new again
	for tries := 0; swept == 0 && tries < 100; tries++ {
		time.Sleep(10 * time.Millisecond)
		p.age(half[0], 2*time.Hour)
		var err error
		if swept, err = p.Sweep(t.Context(), "incoming/", time.Now().Add(-time.Hour), nil); err != nil {
			t.Fatal(err)
		}
	}
	if swept != 1 {
		t.Errorf("of an old half %d were swept", swept)
	}
	_ = w.Close()
	if err := <-done; err == nil {
		t.Error("a writer that lost its file says that all went well")
	}
	wantKeys(t, p)
}

func TestForeignKeysAreRefused(t *testing.T) {
	t.Parallel()
	p := openFolder(t)
	outside := filepath.Join(filepath.Dir(p.dir), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	put(t, p.Store, "a/b", "x")
	for _, key := range []string{
		"", "/", "/a", "a/", "a//b", ".", "..", "../secret", "a/../b", "a/../../secret", "./a", "a/.", "a/..", "a..b",
		".hidden", "a/.git",
		"A", "a b", "a\x00", "a\n", `a\b`, "a%2fb", "ä", "a:b", "a*", "~", strings.Repeat("a", 201),
		strings.Repeat("a/", 300) + "a",
		outside,
	} {
		for call, err := range everyCall(t.Context(), p.Store, key) {
			if err == nil || fault.KindOf(err) != fault.Internal {
				t.Errorf("%s took the key %q: %v", call, key, err)
			}
		}
	}
	wantKeys(t, p, "a/b")
	if content, err := os.ReadFile(outside); err != nil || string(content) != "secret" {
		t.Errorf("the file outside: %q, %v", content, err)
	}
}

func everyCall(ctx context.Context, s *blob.Store, key string) map[string]error {
	_, write := s.Write(ctx, key, strings.NewReader("x"), 10)
	_, read := s.Open(ctx, key)
	_, exists := s.Exists(ctx, key)
	return map[string]error{
		"Write": write, "Open": read, "Exists": exists, "Delete": s.Delete(ctx, "other", key),
		"Keep from": s.Keep(ctx, blob.Pair{From: key, To: "to"}), "Keep to": s.Keep(ctx, blob.Pair{From: "a/b", To: key}),
		"Put": s.Put(ctx, key, nil), "PutOnce": s.PutOnce(ctx, map[string][]byte{key: nil}),
	}
}

func TestOwnKeysAreTaken(t *testing.T) {
	t.Parallel()
	p := openFolder(t)
	for _, key := range []string{
		"a", "incoming/0190b6d2-7d1c-7c3a-9f3e-3a1d4b5c6d7e", "deals/1/deck_final-2.pdf", "a.b.c", "-", "_",
		strings.Repeat("a", 200),
	} {
		put(t, p.Store, key, key)
		if got := read(t, p.Store, key); got != key {
			t.Errorf("%q gave %q", key, got)
		}
	}
}

func TestOpenRefusesBadURLs(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, bucket := newBucketServer(t)
	for name, c := range map[string]struct{ storageURL, says string }{
		"nothing":           {"", "use file:///folder or s3://"},
		"a path":            {"/var/files", "use file:///folder or s3://"},
		"another scheme":    {"ftp://host/folder", "use file:///folder or s3://"},
		"two slashes":       {"file://var/files", "three slashes"},
		"relative":          {"file:files", "three slashes"},
		"a query":           {"file:///files?metadata=", "three slashes"},
		"a file":            {"file://" + file, "storage folder"},
		"below a file":      {"file://" + file + "/x", "storage folder"},
		"no place to write": {"file:///proc/storage", "storage folder"},
		"unknown parameter": {"s3://deals?colour=red", "colour"},
		"no such bucket":    {strings.Replace(bucket, "deals", "other", 1), "cannot be listed"},
		"unreadable":        {"s3://%zz", "storage URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := blob.Open(t.Context(), c.storageURL)
			if err == nil || store != nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want an error that says %q", err, c.says)
			}
		})
	}
}

func TestOpenAgain(t *testing.T) {
	t.Parallel()
	p := openFolder(t)
	put(t, p.Store, "a/b", "kept")
	again := open(t, "file://"+p.dir)
	if got := read(t, again, "a/b"); got != "kept" {
		t.Errorf("got %q", got)
	}
	wantKeys(t, p, "a/b") // the probe is gone
}
