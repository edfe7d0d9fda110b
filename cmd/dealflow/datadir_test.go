package main

import (
	"os"
	"testing"
)

// TestASecretIsOnTheDiskBeforeItIsUsed has a secret written to a device that cannot be synced.
func TestASecretIsOnTheDiskBeforeItIsUsed(t *testing.T) {
	t.Parallel()
	dir := dataDir(t.TempDir())
	if err := os.Symlink(os.DevNull, dir.path(secretFile+".new")); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.secret(secretFile); err == nil {
		t.Error("a key that the disk may not have would be used")
	}
	if _, err := os.Lstat(dir.path(secretFile)); !os.IsNotExist(err) {
		t.Errorf("a key that the disk may not have stands in the folder: %v", err)
	}
}
