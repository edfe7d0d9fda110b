package blob

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// synced opens a store on a folder. take returns the names of the files and folders that were synced since its last
// call. Each sync fails with the error fail, if that is not nil.
func synced(t *testing.T, fail error) (store *Store, take func() []string) {
	t.Helper()
	dir := t.TempDir()
	store, err := Open(t.Context(), "file://"+dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	var mu sync.Mutex
	names := []string{}
	store.backend.(*folder).fsync = func(f *os.File) error {
		name, err := filepath.Rel(dir, f.Name())
		mu.Lock()
		defer mu.Unlock()
		names = append(names, name)
		return errors.Join(err, fail)
	}
	return store, func() []string {
		mu.Lock()
		defer mu.Unlock()
		slices.Sort(names)
		return slices.Compact(names)
	}
}

func write(t *testing.T, s *Store, key string) {
	t.Helper()
	if _, err := s.Write(t.Context(), key, strings.NewReader(key), 100); err != nil {
		t.Fatal(err)
	}
}

// All that must last through a power cut is synced: the file, its name, the names of its folders, and the name by which
// a sweep finds the file.
func TestWhatIsKeptIsSynced(t *testing.T) {
	t.Parallel()
	s, names := synced(t, nil)
	write(t, s, "incoming/a")
	write(t, s, "incoming/b")
	if err := s.Keep(t.Context(), Pair{"incoming/a", "companies/1/a"}, Pair{"incoming/b", "companies/1/b"}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		".", "companies", "companies/1", "companies/1/a", "companies/1/b", "incoming", "incoming/a", "incoming/b",
	}
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("synced %q, want %q", got, want)
	}
}

func TestWhatIsPutIsSynced(t *testing.T) {
	t.Parallel()
	s, names := synced(t, nil)
	write(t, s, "emails/1/there")
	contents := map[string][]byte{"emails/1/there": nil, "emails/1/new": nil}
	if err := errors.Join(s.PutOnce(t.Context(), contents), s.Put(t.Context(), "imports/1_1", nil)); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, name := range names() {
		if before, _, temporary := strings.Cut(name, "."); temporary && before != "" {
			name = before
		}
		got = append(got, name)
	}
	if want := []string{".", "emails", "emails/1", "imports", "incoming/1_1", "incoming/new"}; !slices.Equal(got, want) {
		t.Errorf("synced %q, want %q", got, want)
	}
}

// A disk may accept a write and fail only at the sync: then nothing may be acknowledged.
func TestADiskThatFailsAtTheSync(t *testing.T) {
	t.Parallel()
	s, _ := synced(t, syscall.EIO)
	write(t, s, "incoming/a")
	for call, err := range map[string]error{
		"Keep": s.Keep(t.Context(), Pair{"incoming/a", "companies/1/a"}), "Put": s.Put(t.Context(), "imports/a", nil),
		"PutOnce": s.PutOnce(t.Context(), map[string][]byte{"emails/a": nil}),
	} {
		if !IsUnavailable(err) || !errors.Is(err, syscall.EIO) {
			t.Errorf("%s: %v", call, err)
		}
	}
	if found, err := s.Exists(context.WithoutCancel(t.Context()), "imports/a"); err != nil || found {
		t.Errorf("what could not be synced has its key: %v, %v", found, err)
	}
}

// If there are no hard links, as on some network mounts, files are copied.
func TestCopyInAFolder(t *testing.T) {
	t.Parallel()
	s, _ := synced(t, nil)
	write(t, s, "incoming/a")
	if err := os.Mkdir(filepath.Join(s.backend.(*folder).Name(), "b"), dirMode); err != nil {
		t.Fatal(err)
	}
	if err := s.backend.(*folder).copy("incoming/a", "b/a"); err != nil {
		t.Fatal(err)
	}
	content, err := s.backend.(*folder).ReadFile("b/a")
	if err != nil || string(content) != "incoming/a" || !hasNoLinks(&os.LinkError{Err: syscall.EPERM}) ||
		hasNoLinks(syscall.ENOSPC) {
		t.Errorf("got %q, %v", content, err)
	}
}

// A sync is what storing costs: one for each file and one for each folder, however many files are in it.
func TestFoldersOfManyFilesAreSyncedOnce(t *testing.T) {
	t.Parallel()
	s, _ := synced(t, nil)
	var syncs atomic.Int32
	s.backend.(*folder).fsync = func(*os.File) error { syncs.Add(1); return nil }
	contents := map[string][]byte{}
	for i := range 20 {
		contents["emails/1/"+strconv.Itoa(i)] = nil
	}
	if err := s.PutOnce(t.Context(), contents); err != nil || syncs.Load() != 20+3 {
		t.Errorf("%d syncs, %v", syncs.Load(), err)
	}
	syncs.Store(0)
	if err := s.PutOnce(t.Context(), contents); err != nil || syncs.Load() != 3 {
		t.Errorf("%d syncs of what is there, %v", syncs.Load(), err)
	}
}

// A file system that is mounted below the storage folder takes no file by its name.
func TestFilesMoveToAnotherFileSystem(t *testing.T) {
	t.Parallel()
	s, names := synced(t, nil)
	f := s.backend.(*folder)
	rename := f.rename
	f.rename = func(from, to string) error {
		if filepath.Dir(from) != filepath.Dir(to) {
			return &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EXDEV}
		}
		return rename(from, to)
	}
	if err := s.Put(t.Context(), "emails/1/a", []byte("whole")); err != nil {
		t.Fatal(err)
	}
	content, err := f.ReadFile("emails/1/a")
	if err != nil || string(content) != "whole" {
		t.Errorf("stored %q, %v", content, err)
	}
	isBeside := func(name string) bool { return strings.HasPrefix(name, "emails/1/a.") }
	if got := names(); !slices.ContainsFunc(got, isBeside) || !slices.Contains(got, "emails/1") {
		t.Errorf("synced %q, want the file beside its key and its folder", got)
	}
	for _, dir := range []string{"incoming", "emails/1"} {
		left, err := fs.ReadDir(f.FS(), dir)
		if want := map[string]int{"emails/1": 1}[dir]; len(left) != want || err != nil {
			t.Errorf("%s holds %v, %v; want %d files", dir, left, err, want)
		}
	}
}
