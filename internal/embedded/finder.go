package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// oldestPostgres is the lowest major version on which the schema runs.
const oldestPostgres = 14

// Finder finds the binaries of servers on this machine, and fetches missing ones with the machine's package tool. Two
// processes must not fetch the same server into one folder at the same time.
type Finder struct {
	// PostgresBin is a folder with initdb and postgres to use before all others (PG_BIN); empty for none.
	PostgresBin string
	// Unpacked is the folder in which downloaded packages are unpacked and found again; if it is empty, nothing is
	// fetched.
	Unpacked string
	// Logger gets a line when a server is fetched. It must not be nil.
	Logger *slog.Logger
}

// Postgres returns the binaries of the newest Postgres on this machine from version 14 on. If major is not 0, it
// returns those of that version, since a cluster can be opened only by the version that made it. If f.PostgresBin is
// set, it looks there only. Otherwise it fetches a missing Postgres, but returns an error if f.Unpacked is "".
func (f Finder) Postgres(ctx context.Context, major int) (Binaries, error) {
	if f.PostgresBin != "" {
		return f.chosenPostgres(ctx, major)
	}
	if found, ok := f.findPostgres(ctx, major); ok {
		return found, nil
	}
	if err := f.fetch(ctx, postgresServer(major)); err != nil {
		return Binaries{}, fmt.Errorf("find Postgres %s: %w", wanted(major), err)
	}
	if found, ok := f.findPostgres(ctx, major); ok {
		return found, nil
	}
	return Binaries{}, fmt.Errorf(
		"the installed packages brought no Postgres %s: install it, or set PG_BIN to the folder of its initdb, or "+
			"DATABASE_URL to a running server", wanted(major),
	)
}

// Redis returns the binaries of a redis-server on this machine. If there is none, it fetches it, or returns an error if
// f.Unpacked is "".
func (f Finder) Redis(ctx context.Context) (Binaries, error) {
	return f.program(ctx, redisServer(), "usr/bin", redisProgram)
}

// PgBouncer returns the binaries of a pgbouncer on this machine. If there is none, it fetches it, or returns an error
// if f.Unpacked is "". Tests connect the service to Postgres through it.
func (f Finder) PgBouncer(ctx context.Context) (Binaries, error) {
	return f.program(ctx, pgBouncer(), "usr/sbin", "pgbouncer")
}

// program returns the binaries of a server whose executable is called name: the one on the PATH, or else the one in
// folder of its unpacked package. If there is neither, it fetches the package.
func (f Finder) program(ctx context.Context, s server, folder, name string) (Binaries, error) {
	if found, ok := f.findProgram(s, folder, name); ok {
		return found, nil
	}
	if err := f.fetch(ctx, s); err != nil {
		return Binaries{}, err
	}
	if found, ok := f.findProgram(s, folder, name); ok {
		return found, nil
	}
	return Binaries{}, fmt.Errorf("the installed packages brought no %s: install it", name)
}

func (f Finder) chosenPostgres(ctx context.Context, major int) (Binaries, error) {
	b := Binaries{Dir: f.PostgresBin}
	if !has(b.Dir, "initdb", "postgres") {
		return Binaries{}, fmt.Errorf(
			"PG_BIN is %s, but no initdb and postgres are there: set it to their folder, or unset it", b.Dir,
		)
	}
	if v := version(ctx, b); !fits(v, major) {
		return Binaries{}, fmt.Errorf(
			"PG_BIN has Postgres %d, but this cluster needs %s: set it to that version's folder, or unset it", v, wanted(major),
		)
	}
	return b, nil
}

// findPostgres returns the binaries with the highest major version from oldestPostgres on, or, if major is not 0, those
// of version major. It looks in the folders of the distributions, on the PATH and in what was unpacked before. It
// reports whether there are any.
func (f Finder) findPostgres(ctx context.Context, major int) (Binaries, bool) {
	var best Binaries
	newest := 0
	for _, b := range f.postgresFolders() {
		if v := version(ctx, b); fits(v, major) && v > newest {
			best, newest = b, v
		}
	}
	return best, newest > 0
}

func (f Finder) postgresFolders() []Binaries {
	var all []Binaries
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", // Debian, Ubuntu
		"/usr/pgsql-*/bin",          // Red Hat with the project's own packages
		"/usr/libexec/postgresql*",  // Alpine
		"/usr/lib/postgresql*/bin",  // SUSE
	} {
		all = append(all, folders(pattern)...)
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		all = append(all, Binaries{Dir: filepath.Dir(path)})
	}
	all = append(all, f.unpacked("postgresql", "usr/lib/postgresql/*/bin")...)
	return slices.DeleteFunc(all, func(b Binaries) bool { return !has(b.Dir, "initdb", "postgres") })
}

func folders(pattern string) []Binaries {
	paths, _ := filepath.Glob(pattern) // the only error is a bad pattern, and these are constants
	var all []Binaries
	for _, path := range paths {
		all = append(all, Binaries{Dir: path})
	}
	return all
}

// unpacked returns the binaries that were unpacked from the package of the server name, with the libraries of that
// package; none if it was not unpacked. pattern is the pattern of their folders in the package.
func (f Finder) unpacked(name, pattern string) []Binaries {
	root := filepath.Join(f.Unpacked, name)
	all := folders(filepath.Join(root, pattern))
	for i := range all {
		all[i].Root, all[i].Libraries = root, libraries(root)
	}
	return all
}

func (f Finder) findProgram(s server, folder, name string) (Binaries, bool) {
	if path, err := exec.LookPath(name); err == nil {
		return Binaries{Dir: filepath.Dir(path)}, true
	}
	for _, b := range f.unpacked(s.name, folder) {
		if has(b.Dir, name) {
			return b, true
		}
	}
	return Binaries{}, false
}

// libraries returns the folders of shared libraries below root, the folder of an unpacked package.
func libraries(root string) []string {
	var dirs []string
	for _, pattern := range []string{"usr/lib/*-linux-*", "lib/*-linux-*"} {
		found, _ := filepath.Glob(filepath.Join(root, pattern))
		dirs = append(dirs, found...)
	}
	return dirs
}

// version returns the major version of Postgres; 0 if it does not run on this machine.
func version(ctx context.Context, b Binaries) int {
	out, err := b.Command(ctx, "postgres", "--version").Output()
	if err != nil {
		return 0
	}
	return majorVersion(string(out))
}

// majorVersion returns the major version in the output of postgres --version: 15 for "postgres (PostgreSQL) 15.18
// (Debian 15.18-0)", and 17 for "postgres (PostgreSQL) 17beta1". It returns 0 if there is none.
func majorVersion(text string) int {
	_, after, _ := strings.Cut(text, ") ")
	digits := strings.IndexFunc(after, func(r rune) bool { return r < '0' || r > '9' })
	if digits < 0 {
		digits = len(after)
	}
	v, _ := strconv.Atoi(after[:digits]) // 0 when there is no number, which fits nothing
	return v
}

// clusterVersion returns the major version of the Postgres that created the cluster in dir; 0 if there is no cluster.
func clusterVersion(dir string) int {
	text, err := os.ReadFile(filepath.Join(dir, "PG_VERSION")) //nolint:gosec // G304: our own folder
	if err != nil {
		return 0
	}
	v, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return v
}

func fits(version, major int) bool {
	return version >= oldestPostgres && (major == 0 || version == major)
}

func wanted(major int) string {
	if major == 0 {
		return fmt.Sprintf("%d or newer", oldestPostgres)
	}
	return strconv.Itoa(major)
}
