package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"dealflow/internal/blob"
	"dealflow/internal/fault"
)

// place is a store together with a look behind it.
type place struct {
	*blob.Store
	t    *testing.T
	keys func() []string
	age  func(key string, by time.Duration)
	dir  string // empty for a bucket
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
	}
}

func openBucket(t *testing.T) place {
	t.Helper()
	server, storageURL := newBucketServer(t)
	return place{Store: open(t, storageURL), t: t, keys: server.keys, age: server.age}
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

func TestWriteSaysWhatItStored(t *testing.T) {
	t.Parallel()
	pptx := zipHead("ppt/presentation.xml")
	large := strings.Repeat("0123456789abcdef", 6<<20/16+1) // more than one part of S3
	for name, c := range map[string]struct{ content, media string }{
		"pdf":             {pdf, "application/pdf"},
		"text, no params": {"Dear Ana,\nwe raise 2 million.\n", "text/plain"},
		"png":             {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "image/png"},
		"slides":          {pptx, "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
		"html":            {"<!DOCTYPE html><html><script>alert(1)</script>", "text/html"},
		"binary":          {"\x00\x01\x02\x03", "application/octet-stream"},
		"several parts":   {large, "text/plain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everywhere(t, func(p place) {
				t := p.t
				got := put(t, p.Store, "incoming/a", c.content)
				sum := sha256.Sum256([]byte(c.content))
				want := blob.Written{Size: int64(len(c.content)), SHA256: hex.EncodeToString(sum[:]), MediaType: c.media}
				if got != want {
					t.Errorf("got %+v, want %+v", got, want)
				}
				if read(t, p.Store, "incoming/a") != c.content {
					t.Error("another content came back")
				}
				wantKeys(t, p, "incoming/a")
			})
		})
	}
}

// zipHead is the beginning of an archive whose first entry has this name.
func zipHead(entry string) string {
	local := func(name string) string {
		return "PK\x03\x04\x14\x00\x00\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("\x00",
			12) + string(rune(len(name))) + "\x00\x00\x00" + name
	}
	return local("[Content_Types].xml") + local("_rels/.rels") + local(entry) + strings.Repeat("\x00", 200)
}

func TestWriteReplaces(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		put(t, p.Store, "a/b", "old")
		put(t, p.Store, "a/b", "new")
		if got := read(t, p.Store, "a/b"); got != "new" {
			t.Errorf("got %q", got)
		}
		wantKeys(t, p, "a/b")
	})
}

// TestFailedWriteLeavesNothing also covers a failure after the first part went out to S3.
func TestFailedWriteLeavesNothing(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	for name, c := range map[string]struct {
		size  int64
		limit int64
		fail  error // after size bytes
		kind  fault.Kind
	}{
		"one byte over":          {size: 1001, limit: 1000, kind: fault.TooLarge},
		"no room at all":         {size: 1, limit: 0, kind: fault.TooLarge},
		"megabytes over":         {size: 16 << 20, limit: 12 << 20, kind: fault.TooLarge},
		"fails at once":          {limit: 1000, fail: broken},
		"fails in the beginning": {size: 100, limit: 1000, fail: broken},
		"fails after 64 kB":      {size: 100 << 10, limit: 1 << 20, fail: broken},
		"fails after megabytes":  {size: 12 << 20, limit: 20 << 20, fail: broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everywhere(t, func(p place) {
				t := p.t
				r := io.LimitReader(zeros{}, c.size)
				if c.fail != nil {
					r = io.MultiReader(r, iotest.ErrReader(c.fail))
				}
				written, err := p.Write(t.Context(), "incoming/a", r, c.limit)
				wantKind(t, err, c.kind)
				if !errors.Is(err, c.fail) && c.fail != nil {
					t.Errorf("the reader's own error is lost in %v", err)
				}
				if written != (blob.Written{}) {
					t.Errorf("a failure said that it wrote %+v", written)
				}
				wantKeys(t, p)
			})
		})
	}
}

func TestFailedWriteKeepsWhatStoodThere(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		put(t, p.Store, "a", "old")
		_, err := p.Write(t.Context(), "a", strings.NewReader(strings.Repeat("n", 9000)), 8999)
		wantKind(t, err, fault.TooLarge)
		if got := read(t, p.Store, "a"); got != "old" {
			t.Errorf("got %q", got)
		}
		wantKeys(t, p, "a")
	})
}

func TestExactlyTheLimitFits(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		for _, size := range []int64{0, 1, 4095, 4096, 4097, 100_000} {
			written, err := p.Write(t.Context(), "a", io.LimitReader(zeros{}, size), size)
			if err != nil || written.Size != size {
				t.Errorf("%d bytes: wrote %d, %v", size, written.Size, err)
			}
		}
	})
}

func TestCanceledWriteLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]int64{"before it began": 0, "soon": 10_000, "after megabytes": 11 << 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everywhere(t, func(p place) {
				t := p.t
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				readOn := errors.New("was read after the end")
				r := io.MultiReader(io.LimitReader(zeros{}, after), canceler(cancel), io.LimitReader(zeros{}, 1<<20),
					iotest.ErrReader(readOn))
				_, err := p.Write(ctx, "incoming/a", r, 1<<30)
				if !errors.Is(err, context.Canceled) || errors.Is(err, readOn) {
					t.Errorf("got %v", err)
				}
				wantKeys(t, p)
			})
		})
	}
}

// TestWriteMemory proves that a file in a folder costs the same memory whatever its size.
func TestWriteMemory(t *testing.T) { // not parallel: it measures the whole process
	p := openFolder(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const size = 64 << 20
	if _, err := p.Write(t.Context(), "a", io.LimitReader(zeros{}, size), size); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("writing %d bytes took %d bytes of memory", size, used)
	}
}

func TestObjectServesRanges(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		content := pdf + random(100_000)
		put(t, p.Store, "a.pdf", content)
		for name, c := range map[string]struct {
			ranges string
			status int
			want   string
		}{
			"all":          {"", http.StatusOK, content},
			"the first":    {"bytes=0-9", http.StatusPartialContent, content[:10]},
			"the middle":   {"bytes=50000-50099", http.StatusPartialContent, content[50000:50100]},
			"the last":     {"bytes=-20", http.StatusPartialContent, content[len(content)-20:]},
			"the rest":     {"bytes=90000-", http.StatusPartialContent, content[90000:]},
			"past its end": {"bytes=200000-", http.StatusRequestedRangeNotSatisfiable, "invalid range: failed to overlap\n"},
		} {
			got := serve(t, p.Store, "a.pdf", c.ranges)
			if got.Code != c.status || got.Body.String() != c.want {
				t.Errorf("%s: status %d with %d bytes, want %d with %d", name, got.Code, got.Body.Len(), c.status, len(c.want))
			}
			if c.status < 400 && (got.Header().Get("Content-Type") != "application/pdf" ||
				got.Header().Get("Last-Modified") == "") {
				t.Errorf("%s: headers %v", name, got.Header())
			}
		}
	})
}

func serve(t *testing.T, s *blob.Store, key, ranges string) *httptest.ResponseRecorder {
	t.Helper()
	object, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	if ranges != "" {
		r.Header.Set("Range", ranges)
	}
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", object.MediaType)
	http.ServeContent(w, r, "", object.ModTime, object)
	return w
}

func TestObjectTellsSizeAndTime(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		put(t, p.Store, "a", pdf)
		object, err := p.Open(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		defer object.Close()
		if object.Size != int64(len(pdf)) || object.MediaType != "application/pdf" ||
			time.Since(object.ModTime).Abs() > time.Minute {
			t.Errorf("got %d bytes, %s, %v", object.Size, object.MediaType, object.ModTime)
		}
	})
}

func TestMissingIsNotFound(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		put(t, p.Store, "a/b", "x")
		for _, key := range []string{"a", "a/c", "nothing"} { // "a" is a folder, and no file
			_, err := p.Open(t.Context(), key)
			wantKind(t, err, fault.NotFound)
			wantKind(t, p.Keep(t.Context(), blob.Pair{From: key, To: "to"}), fault.NotFound)
			wantExists(t, p.Store, key, false)
		}
		wantExists(t, p.Store, "a/b", true)
		wantKeys(t, p, "a/b")
	})
}

func wantExists(t *testing.T, s *blob.Store, key string, want bool) {
	t.Helper()
	got, err := s.Exists(t.Context(), key)
	if err != nil || got != want {
		t.Errorf("exists %s: %v, %v", key, got, err)
	}
}

func TestKeepAndDelete(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		put(t, p.Store, "incoming/a", pdf)
		put(t, p.Store, "incoming/b", "b")
		p.age("incoming/a", 2*time.Hour)
		files := []blob.Pair{{From: "incoming/a", To: "b/c"}, {From: "incoming/b", To: "b/d/e"}}
		for range 2 { // the second time it is done already
			if err := p.Keep(t.Context(), files...); err != nil {
				t.Fatal(err)
			}
		}
		wantKeys(t, p, "b/c", "b/d/e", "incoming/a", "incoming/b")
		if at, err := p.Written(t.Context(), "b/c"); err != nil || time.Since(at) > time.Minute {
			t.Errorf("what was kept is of %v, %v: a sweep would take it", at, err)
		}
		if err := p.Delete(t.Context(), "nothing", "incoming/a", "incoming/a", "incoming/b"); err != nil {
			t.Fatal(err)
		}
		wantKeys(t, p, "b/c", "b/d/e")
		if got := read(t, p.Store, "b/c"); got != pdf {
			t.Errorf("got %q", got)
		}
		if err := errors.Join(p.Delete(t.Context()), p.Keep(t.Context())); err != nil {
			t.Error(err)
		}
	})
}

func TestPutOnceLeavesWhatIsThere(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		put(t, p.Store, "a/1", "first")
		contents := map[string][]byte{"a/1": []byte("second")}
		var want []string
		for i := range 40 {
			key := fmt.Sprintf("a/b%02d", i)
			contents[key], want = []byte(key), append(want, key)
		}
		if err := p.PutOnce(t.Context(), contents); err != nil {
			t.Fatal(err)
		}
		wantKeys(t, p, append([]string{"a/1"}, want...)...)
		if first, last := read(t, p.Store, "a/1"), read(t, p.Store, "a/b39"); first != "first" || last != "a/b39" {
			t.Errorf("got %q and %q", first, last)
		}
		if err := p.PutOnce(t.Context(), map[string][]byte{"../a": nil}); err == nil {
			t.Error("a path out of the folder is taken")
		}
	})
}

func TestSweep(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		for _, key := range []string{
			"incoming/new", "incoming/old", "incoming/deep/old", "incoming/kept", "kept/old", "incoming2/old",
		} {
			put(t, p.Store, key, "x")
		}
		for _, key := range []string{"incoming/old", "incoming/deep/old", "incoming/kept", "kept/old", "incoming2/old"} {
			p.age(key, 2*time.Hour)
		}
		var asked []string
		n, err := p.Sweep(t.Context(), "incoming/",
			time.Now().Add(-time.Hour), func(_ context.Context, key string) (bool, error) {
				asked = append(asked, key)
				return key != "incoming/kept", nil
			})
		slices.Sort(asked)
		if err != nil || n != 2 || !slices.Equal(asked, []string{"incoming/deep/old", "incoming/kept", "incoming/old"}) {
			t.Errorf("swept %d and asked for %q, %v", n, asked, err)
		}
		wantKeys(t, p, "incoming/kept", "incoming/new", "incoming2/old", "kept/old")
		if n, err := p.Sweep(t.Context(), "incoming/", time.Now().Add(-time.Hour), nil); n != 1 || err != nil {
			t.Errorf("swept %d, %v", n, err)
		}
	})
}

func TestSweepStops(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		put(t, p.Store, "incoming/a", "x")
		unknown := errors.New("database is away")
		_, err := p.Sweep(t.Context(), "incoming/", time.Now().Add(time.Hour), func(context.Context, string) (bool, error) {
			return true, unknown
		})
		if !errors.Is(err, unknown) {
			t.Errorf("got %v", err)
		}
		wantKeys(t, p, "incoming/a")
		for _, prefix := range []string{"", "/", "incoming", "../", "Incoming/"} {
			if _, err := p.Sweep(t.Context(), prefix, time.Now().Add(time.Hour), nil); err == nil {
				t.Errorf("%q was swept", prefix)
			}
		}
		if n, err := p.Sweep(t.Context(), "nowhere/", time.Now(), nil); n != 0 || err != nil {
			t.Errorf("swept %d, %v", n, err)
		}
	})
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// canceler calls its function when it is read, and is then empty.
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
