//go:build unix

package blob

import "golang.org/x/sys/unix"

// freeBytes returns how many bytes a user other than root can still write to the disk of a folder, and whether this is
// known.
func freeBytes(dir string) (uint64, bool) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, false
	}
	return stat.Bavail * uint64(stat.Bsize), true //nolint:gosec // G115: a block has a size above 0
}
