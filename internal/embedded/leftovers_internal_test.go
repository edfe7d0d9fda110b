package embedded

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestHoldersWithoutProc looks for what has a folder as systems other than Linux do.
func TestHoldersWithoutProc(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("lsof"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("there is no lsof: apt-get install --no-install-recommends lsof")
		}
		t.Skip("lsof, which macOS brings, is not here")
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	data, other := t.TempDir(), t.TempDir()
	postgres := filepath.Join(other, "postgres")
	if err := os.WriteFile(postgres, program, 0o700); err != nil {
		t.Fatal(err)
	}
	run := func(dir, path string) int {
		cmd := exec.CommandContext(t.Context(), path, "60")
		cmd.Dir = dir
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd.Process.Pid
	}
	folder, err := os.Stat(data)
	if err != nil {
		t.Fatal(err)
	}
	expect := func(want ...int) {
		t.Helper()
		found, err := listedHolders(t.Context(), folder)
		slices.Sort(found)
		if err != nil || !slices.Equal(found, want) {
			t.Errorf("found %v, error %v, want %v", found, err, want)
		}
	}
	run(other, postgres)
	run(data, sleep)
	expect()
	want := []int{run(data, postgres), run(data, postgres)}
	slices.Sort(want)
	expect(want...)
}
