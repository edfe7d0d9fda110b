package blob_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"dealflow/internal/blob"
	"dealflow/internal/fault"
)

// full is the flag of a process that writes to a folder with a limit on the size of files, as on a full disk.
var full = flag.String("full", "", "a storage folder that is to be full")

// unavailable fails the test unless every error is one of an unavailable storage.
func unavailable(t *testing.T, errs map[string]error) {
	t.Helper()
	for call, err := range errs {
		if !blob.IsUnavailable(err) || !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", call, err)
		}
	}
}

// atOnce makes calls at the same time, since each takes seconds if it is repeated.
func atOnce(calls map[string]func() error) map[string]error {
	var group sync.WaitGroup
	var mu sync.Mutex
	errs := map[string]error{}
	for call, do := range calls {
		group.Go(func() {
			err := do()
			mu.Lock()
			defer mu.Unlock()
			errs[call] = err
		})
	}
	group.Wait()
	return errs
}

func writes(ctx context.Context, s *blob.Store, size int64) map[string]func() error {
	return map[string]func() error{
		"Write": func() error { _, err := s.Write(ctx, "incoming/a", io.LimitReader(zeros{}, size), size); return err },
		"Put":   func() error { return s.Put(ctx, "imports/a", make([]byte, size)) },
		"PutOnce": func() error {
			return s.PutOnce(ctx, map[string][]byte{"emails/a": make([]byte, size), "emails/b": make([]byte, size)})
		},
		"Probe":   func() error { return s.Probe(ctx) },
		"Healthy": func() error { return s.Healthy(ctx) },
	}
}

// The limit of a process on the size of files imitates a full disk: a write is cut in the middle, and the next fails.
func TestAFullDisk(t *testing.T) {
	if *full != "" {
		store := open(t, "file://"+*full)
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 10_000, Max: 10_000}); err != nil {
			t.Fatal(err)
		}
		unavailable(t, atOnce(writes(t.Context(), store, 1<<20)))
		return
	}
	t.Parallel()
	p := openFolder(t)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAFullDisk$", "-full="+p.dir)
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	wantKeys(t, p)
}

func TestAFolderThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	p := openFolder(t)
	put(t, p.Store, "a/b", pdf)
	for _, name := range []string{"incoming", "imports", "emails"} { // whoever runs the tests may write everywhere
		path := filepath.Join(p.dir, name)
		if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	errs := atOnce(writes(t.Context(), p.Store, 10))
	errs["Keep"] = p.Keep(t.Context(), blob.Pair{From: "a/b", To: "incoming/b"})
	unavailable(t, errs)
	if got := read(t, p.Store, "a/b"); got != pdf {
		t.Errorf("got %q", got)
	}
	wantKeys(t, p, "a/b", "emails", "imports", "incoming")
}

// A file in a folder that has gone is not missing: the folder may be mounted again.
func TestAFolderThatHasGone(t *testing.T) {
	t.Parallel()
	p := openFolder(t)
	put(t, p.Store, "a/b", pdf)
	if err := os.Rename(p.dir, p.dir+"2"); err != nil {
		t.Fatal(err)
	}
	_, read := p.Open(t.Context(), "a/c")
	_, exists := p.Exists(t.Context(), "a/c")
	unavailable(t, map[string]error{"Open": read, "Exists": exists, "Probe": p.Probe(t.Context())})
	if err := os.Rename(p.dir+"2", p.dir); err != nil {
		t.Fatal(err)
	}
	if err := p.Probe(t.Context()); err != nil {
		t.Errorf("it is there again: %v", err)
	}
	_, missing := p.Open(t.Context(), "a/c")
	wantKind(t, missing, fault.NotFound)
}

func TestAServerThatIsAway(t *testing.T) {
	t.Parallel()
	server, storageURL := newBucketServer(t)
	store := open(t, storageURL)
	put(t, store, "a/b", pdf)
	server.fail(http.StatusServiceUnavailable)
	calls := writes(t.Context(), store, 10)
	calls["Open"] = func() error { _, err := store.Open(t.Context(), "a/b"); return err }
	calls["Exists"] = func() error { _, err := store.Exists(t.Context(), "a/b"); return err }
	calls["Sweep"] = func() error { _, err := store.Sweep(t.Context(), "a/", time.Now(), nil); return err }
	calls["Keep"] = func() error { return store.Keep(t.Context(), blob.Pair{From: "a/b", To: "c"}) }
	calls["Delete"] = func() error { return store.Delete(t.Context(), "a/b") }
	unavailable(t, atOnce(calls))
	server.fail(0)
	if got := read(t, store, "a/b"); got != pdf {
		t.Errorf("got %q", got)
	}
}

// If a connection breaks in the middle of a file, that is an error of the storage, not of the file.
func TestAFileThatBreaksOff(t *testing.T) {
	t.Parallel()
	content := random(1 << 20)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/a") {
			answer(w, "<ListBucketResult></ListBucketResult>")
			return
		}
		w.Header().Set("Content-Length", "1048576")
		w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		_, _ = io.WriteString(w, content[:1000])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(srv.Close)
	store := open(t, "s3://deals?region=eu-central-1&anonymous=true&use_path_style=true&endpoint="+srv.URL)
	object, err := store.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	_, err = io.ReadAll(object)
	unavailable(t, map[string]error{"Read": err})
}

// Errors of the sender and the end of a request are not errors of the storage.
func TestWhatIsNoTroubleOfTheStorage(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_, broken := p.Write(t.Context(), "a", iotest.ErrReader(errors.New("connection reset")), 10)
		_, canceled := p.Write(ended, "a", strings.NewReader("a"), 10)
		_, tooLarge := p.Write(t.Context(), "a", strings.NewReader("ab"), 1)
		_, missing := p.Open(t.Context(), "a")
		for call, err := range map[string]error{
			"broken": broken, "canceled": canceled, "too large": tooLarge, "missing": missing, "put": p.Put(ended, "a", nil),
		} {
			if err == nil || blob.IsUnavailable(err) {
				t.Errorf("%s: %v", call, err)
			}
		}
	})
}

func TestAStoreOpensWhileItsServerIsAway(t *testing.T) {
	t.Parallel()
	server, storageURL := newBucketServer(t)
	server.fail(http.StatusServiceUnavailable)
	store := open(t, storageURL)
	unavailable(t, map[string]error{"Probe": store.Probe(t.Context())})
	server.fail(0)
	put(t, store, "a/b", pdf)
	server.fail(http.StatusForbidden)
	if _, err := blob.Open(t.Context(), storageURL); err == nil {
		t.Error("a bucket that must not be listed is opened")
	}
}

func TestAStoreOpensWhileNobodyListens(t *testing.T) {
	t.Parallel()
	unavailable(t, map[string]error{
		"Probe": open(t, "s3://deals?region=eu-central-1&anonymous=true&use_path_style=true&endpoint=http://127.0.0.1:1").
			Probe(t.Context()),
	})
}
