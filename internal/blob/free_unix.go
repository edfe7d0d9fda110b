//go:build unix

package blob

import "golang.org/x/sys/unix"

// freeBytes returns the room on the disk of a folder that a user who is not root may fill.
func freeBytes(dir string) (uint64, bool) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, false
	}
	return stat.Bavail * uint64(stat.Bsize), true //nolint:gosec // G115: a block has a size above 0
}
