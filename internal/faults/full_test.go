//go:build faults

package faults_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const smallDisk = "size=4m"

// testFullStorage fills the disk of an API. Creations must be refused with 503 storage_unavailable and leave no files.
// Once there is room again, a creation must succeed.
func testFullStorage(t *testing.T, in *installation) {
	t.Helper()
	storage := t.TempDir()
	isMounted := unix.Mount("tmpfs", storage, "tmpfs", 0, smallDisk) == nil
	if isMounted {
		t.Cleanup(func() { _ = unix.Unmount(storage, unix.MNT_DETACH) })
	}
	for _, w := range in.workers {
		w.Kill() // they have another storage
	}
	environment := append(slices.Clip(in.environment), "STORAGE_URL=file://"+storage)
	api, worker := in.programs.Start(t, "api", environment), in.programs.Start(t, "worker", environment)
	l := newLoad(t, "http://"+api.Address, in.team)
	sum := sha256.Sum256(l.deck)
	c := &creation{name: "Company of a full disk", hash: hex.EncodeToString(sum[:])}
	l.creations = append(l.creations, c)
	free := fill(t, storage, isMounted, api.PID())
	for range 3 {
		if l.send(t.Context(), c, l.deck) {
			t.Fatal("a creation is acknowledged while the disk is full")
		}
	}
	if l.refusals["503 storage_unavailable"] != 3 {
		t.Errorf("while the disk is full creations are refused with %v", l.refusals)
	}
	awaitStorage(t, api.Address, false)
	for _, path := range unnamed(t, storage, in.admin()) {
		if path != filler && !strings.Contains(path, "/probe-") {
			t.Errorf("%s is left of what was refused", path)
		}
	}
	free()
	awaitStorage(t, api.Address, true)
	if !l.send(t.Context(), c, l.deck) {
		t.Errorf("a creation is refused after there is room again: %v", l.refusals)
	}
	awaitSettled(t, in.admin())
	checkCreations(t, in.admin(), storage, l)
	worker.Kill()
	for i := range in.workers {
		in.workers[i] = in.start(t, "worker")
	}
}

const filler = "filler"

// fill fills a disk until the returned function is called. If the test could not mount a small one, it sets a limit by
// which the process pid can write no files.
func fill(t *testing.T, storage string, isMounted bool, pid int) (free func()) {
	t.Helper()
	if !isMounted {
		t.Log("nothing may be mounted here: a limit of the process stands for the full disk")
		var before unix.Rlimit
		if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &before); err != nil {
			t.Fatal(err)
		}
		if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Max: before.Max}, nil); err != nil {
			t.Fatal(err)
		}
		return func() { _ = unix.Prlimit(pid, unix.RLIMIT_FSIZE, &before, nil) }
	}
	path := filepath.Join(storage, filler)
	if err := os.WriteFile(path, bytes.Repeat([]byte("x"), 5<<20), 0o600); err == nil {
		t.Fatal("the disk takes more than it holds")
	}
	return func() { _ = os.Remove(path) }
}

// awaitStorage waits until /readyz says that the storage works, or that it does not. /readyz must respond 200 all the
// time.
func awaitStorage(t *testing.T, address string, works bool) {
	t.Helper()
	var told struct {
		Data struct{ Status, Storage string }
	}
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		answer, err := http.Get("http://" + address + "/readyz") //nolint:noctx // the deadline is the loop's
		if err != nil {
			t.Fatal(err)
		}
		err = json.NewDecoder(answer.Body).Decode(&told)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("/readyz answers %d: %v", answer.StatusCode, err)
		}
		if (told.Data.Storage == "ok") == works && (works || told.Data.Status == "degraded") {
			return
		}
	}
	t.Errorf("/readyz says %+v", told.Data)
}
