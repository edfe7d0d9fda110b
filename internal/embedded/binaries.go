package embedded

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Binaries is a folder of executables, with the folders of the shared libraries that they need in addition to those of
// the system.
type Binaries struct {
	Dir       string
	Libraries []string
	Root      string // the folder that all of these lie in where they were unpacked; empty for the machine's own
}

// through returns the binaries with the paths by which they are reached from a process that inherits Root as an open
// descriptor; descriptor is its number in that process. Except on Linux the paths are unchanged; see inherited. Root
// must not be empty.
func (b Binaries) through(descriptor int) Binaries {
	root := inherited(descriptor, b.Root)
	seen := Binaries{Dir: root + strings.TrimPrefix(b.Dir, b.Root), Root: root}
	for _, dir := range b.Libraries {
		seen.Libraries = append(seen.Libraries, root+strings.TrimPrefix(dir, b.Root))
	}
	return seen
}

// Command returns a command, not yet started, that runs the executable name in the folder "/" without the environment
// of this process: a PGOPTIONS or PGDATA must not change what the servers do. The end of ctx does not kill it, since
// servers are stopped by a signal.
func (b Binaries) Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	//nolint:gosec // G204: the folder is the operator's or the distribution's, and the names are constants
	cmd := exec.CommandContext(context.WithoutCancel(ctx), filepath.Join(b.Dir, name), args...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + b.Dir + ":/usr/local/bin:/usr/bin:/bin", "LC_ALL=C"}
	if len(b.Libraries) > 0 {
		cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+strings.Join(b.Libraries, ":"))
	}
	return cmd
}

// has reports whether dir contains all of the executables.
func has(dir string, names ...string) bool {
	for _, name := range names {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			return false
		}
	}
	return true
}
