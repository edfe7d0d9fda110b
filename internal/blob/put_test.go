package blob_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"dealflow/internal/blob"
)

func TestPutReplacesAndLeavesNothingElse(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	store, err := blob.Open(t.Context(), "file://"+folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	for _, content := range []string{"first", ""} {
		if err := store.Put(t.Context(), "imports/a_1", []byte(content)); err != nil {
			t.Fatal(err)
		}
		object, err := store.Open(t.Context(), "imports/a_1")
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(object)
		if err != nil || string(got) != content {
			t.Errorf("read %q, %v; want %q", got, err, content)
		}
		_ = object.Close()
	}
	entries, err := os.ReadDir(filepath.Join(folder, "imports"))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	if info, err := entries[0].Info(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := store.Put(t.Context(), "../a", nil); err == nil {
		t.Error("a path out of the folder is taken")
	}
}
